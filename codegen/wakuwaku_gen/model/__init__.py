"""Raw schema to bound model: every reference resolved, every Python name chosen here and nowhere else."""

from wakuwaku_gen.model.build import build_schema
from wakuwaku_gen.model.digest import namespace_data

__all__ = ["build_schema", "namespace_data"]

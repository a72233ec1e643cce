"""Give what differs between two versions the names of rules."""

from wakuwaku_gen.compat.naming.catalogues import Named, name_changes

__all__ = ["Named", "name_changes"]

"""Files as values to files on disk: what is there, what to do about it, and doing it so that a kill spoils nothing."""

from wakuwaku_gen.write.apply import operations, perform
from wakuwaku_gen.write.disk import check_output, read_manifest, survey
from wakuwaku_gen.write.errors import WriteError
from wakuwaku_gen.write.lock import locked
from wakuwaku_gen.write.plan import Action, Plan, Step, Why, make_plan

__all__ = [
    "Action",
    "Plan",
    "Step",
    "Why",
    "WriteError",
    "check_output",
    "locked",
    "make_plan",
    "operations",
    "perform",
    "read_manifest",
    "survey",
]

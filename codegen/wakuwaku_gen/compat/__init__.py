"""Hold a schema to its past: every reader still reads every record, and the runtime treats it as before.

`reading` decides that, `naming` gives changes the names of `rules`, `witness` proves them with bytes, `checker` puts
the versions of `baselines` together, `plan` says in which order to bring a change out, `use` is what commands call.
"""

from wakuwaku_gen.compat.axes import Axes, Axis, Level, Verdict
from wakuwaku_gen.compat.errors import CompatError
from wakuwaku_gen.compat.finding import Finding
from wakuwaku_gen.compat.plan import Order, Plan
from wakuwaku_gen.compat.rules import RULES, CompatRule
from wakuwaku_gen.compat.use import Options, Outcome, Status, check_compat, release

__all__ = [
    "RULES",
    "Axes",
    "Axis",
    "CompatError",
    "CompatRule",
    "Finding",
    "Level",
    "Options",
    "Order",
    "Outcome",
    "Plan",
    "Status",
    "Verdict",
    "check_compat",
    "release",
]

"""Re-decision of evidence packages (FORMAT.md, "Re-decision").

``redecide(package)`` computes each verdict again from the profile, the action and the balances that the package
contains. What it does not compute it reports as not checked, with the reason.
"""

from __future__ import annotations

from .balances import Break
from .check import Difference
from .redecision import VERDICTS, AgentBalances, Redecided, Redecision, redecide
from .statement import wrong_statement

__all__ = [
    "VERDICTS",
    "AgentBalances",
    "Break",
    "Difference",
    "Redecided",
    "Redecision",
    "redecide",
    "wrong_statement",
]

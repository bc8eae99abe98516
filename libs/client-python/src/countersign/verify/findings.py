"""Problems found by a verification, each with a code of the closed set of FORMAT.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import List, Optional, Tuple

PROBLEM_CODES = (
    "unsupported-canonicalization",
    "unsupported-schema",
    "not-canonical",
    "verification-fields",
    "unknown-key",
    "signature-invalid",
    "key-revoked",
    "sha256-differs",
    "structure",
    "content-hash-differs",
    "transaction-not-found",
    "transaction-failed",
    "transaction-memo",
    "transaction-root-differs",
    "transaction-size-differs",
    "transaction-window-differs",
    "transaction-authority",
    "transaction-height-differs",
    "transaction-early",
    "key-outside-validity",
    "leaf-invalid",
    "duplicate-event",
    "opening-inconsistent",
    "opening-wrong",
    "profile-differs",
    "range-mark-wrong",
    "control-status-differs",
    "proof-form",
    "proof-event-differs",
    "proof-agent-differs",
    "proof-place-differs",
    "proof-root-differs",
    "sequence-missing",
    "sequence-duplicate",
    "agent-unknown",
    "agent-figures-differ",
    "window-missing",
    "window-differs",
    "window-root-differs",
    "window-gap",
    "anchor-list-differs",
    "window-order-differs",
    "window-equivocated",
    "window-forked",
    "status-differs",
    "summary-differs",
    "oversight-differs",
    "absence-form",
    "absence-agent-differs",
    "absence-order-differs",
    "absence-neighbours-apart",
    "absence-root-differs",
    "pages-differ",
    "series-range-differs",
    "series-sequence-missing",
    "series-agents-differ",
    "series-totals-differ",
    "series-changes-differ",
    "series-package-unlisted",
    "series-package-invalid",
    "series-package-differs",
    "series-overlap-differs",
    "series-package-missing",
    "sample-package-differs",
    "sample-anchor-differs",
    "sample-block-early",
    "sample-seed-differs",
    "sample-population-differs",
    "sample-selection-differs",
)


UNSETTLED_CODES = (
    "window-late",
    "event-late",
    "event-ahead",
    "time-unknown",
    "chain-not-walked",
    "chain-gap",
    "window-unlisted",
)
"""Codes that leave a package open although nothing in it is wrong: with one of these it is not verified."""


@dataclass(frozen=True)
class Problem:
    """One problem: ``path`` is its location (``events[3].opened.action``), empty for the whole."""

    code: str
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path or 'package'}: {self.message} [{self.code}]"


@dataclass(frozen=True)
class Vouched:
    """Who vouches for a file, as far as the verifier could determine; both ``False`` if anything is wrong.

    ``issuer``: a key of the caller's signed it while it was valid: for a key whose validity has an end, a block time
    must prove that it signed before. ``anchor``: an authority that the caller knows sent every transaction that is
    named, and there is one: each was found, and final.
    """

    issuer: bool
    anchor: bool


NO_VOUCHER = Vouched(issuer=False, anchor=False)


@dataclass(frozen=True)
class WindowTime:
    """The anchoring time of a listed window: ISO 8601, and seconds after its end; ``None`` if it is not known."""

    start: str
    end: str
    signature: str
    anchored_at: Optional[str]
    seconds_after_end: Optional[float]


@dataclass(frozen=True)
class Verification:
    """``ok``: nothing that was checked is wrong; ``not_checked`` lists what was not checked.

    ``issuer_checked``, ``chain_checked`` and ``authority_checked`` say the same for programs: that a key of the
    caller's verified the signature, that the chain answered for every named transaction, and that each was
    compared with authorities that the caller knows. ``vouched`` combines them for a package and for an absence.
    """

    problems: List[Problem]
    checked: List[str]
    not_checked: List[str]
    issuer_checked: bool = False
    chain_checked: bool = False
    authority_checked: bool = False
    anchored: int = 0
    unanchored: int = 0
    proven: bool = True
    """``False`` for a single event that is not anchored: there is nothing to prove yet, and nothing wrong."""
    vouched: Vouched = NO_VOUCHER
    unsettled: Tuple[str, ...] = ()
    """Codes of what the chain leaves open; ``not_checked`` has the texts. Empty if it was not asked."""
    window_times: Tuple[WindowTime, ...] = ()
    shown_in_part: int = 0
    """Number of openings of a package with members that are withheld; what depends on those is not checked."""

    @property
    def ok(self) -> bool:
        return self.proven and not self.problems

    @property
    def first_problem(self) -> Optional[str]:
        """The code of the first problem, in the order of the checks."""
        return self.problems[0].code if self.problems else None


@dataclass
class Findings:
    """Collects problems in the order of the checks."""

    problems: List[Problem] = field(default_factory=list)
    open: List[Tuple[str, str]] = field(default_factory=list)

    def add(self, code: str, path: str, message: str) -> None:
        if code not in PROBLEM_CODES:
            raise ValueError(f"{code} is not a code of FORMAT.md")
        self.problems.append(Problem(code, path, message))

    def leave_open(self, code: str, message: str) -> None:
        if code not in UNSETTLED_CODES:
            raise ValueError(f"{code} is not a code of FORMAT.md")
        self.open.append((code, message))

    def __len__(self) -> int:
        return len(self.problems)

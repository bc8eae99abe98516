"""What a verification found: problems, each with a code of the closed set of FORMAT.md."""

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
    "absence-form",
    "absence-agent-differs",
    "absence-order-differs",
    "absence-neighbours-apart",
    "absence-root-differs",
    "pages-differ",
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
"""What leaves a package open though nothing in it is wrong: with one of these it is not verified."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: ``path`` says where (``events[3].opened.action``), empty for the whole."""

    code: str
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path or 'package'}: {self.message} [{self.code}]"


@dataclass(frozen=True)
class Vouched:
    """Who stands behind a file, as far as the verifier could tell; both ``False`` where anything is wrong.

    ``issuer``: a key of the caller's signed it, and while it was valid: a key whose validity has an end must be shown
    by a block time to have signed before. ``anchor``: an authority that the caller knows sent every transaction that is
    named, and there is one: each was found, and final.
    """

    issuer: bool
    anchor: bool


NOBODY = Vouched(issuer=False, anchor=False)


@dataclass(frozen=True)
class WindowTime:
    """When a listed window was anchored: ISO 8601, and seconds after its end; ``None`` where no time is kept."""

    start: str
    end: str
    signature: str
    anchored_at: Optional[str]
    seconds_after_end: Optional[float]


@dataclass(frozen=True)
class Verification:
    """``ok`` says that nothing which was checked is wrong; ``not_checked`` says in words what was not.

    ``issuer_checked``, ``chain_checked`` and ``authority_checked`` say the same for programs: that a key of the
    caller's verified the signature, that the chain answered for every transaction that is named, and that each was
    held against authorities that the caller knows. ``vouched`` is what they come to for a package and for an absence.
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
    vouched: Vouched = NOBODY
    unsettled: Tuple[str, ...] = ()
    """Codes of what the chain leaves open; ``not_checked`` has the words. Empty where it was not asked."""
    window_times: Tuple[WindowTime, ...] = ()

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

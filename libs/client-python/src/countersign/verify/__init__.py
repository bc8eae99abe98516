"""An independent verifier of Countersign's signed packages and proofs, written from ``libs/evidence/FORMAT.md``.

It does no I/O and trusts nothing but its arguments. It needs the extra ``countersign[verify]``.
"""

from __future__ import annotations

try:
    import cryptography  # noqa: F401
    import rfc8785  # noqa: F401
except ImportError as error:  # pragma: no cover - depends on what is installed
    raise ImportError("countersign.verify needs more packages: pip install cryptography rfc8785") from error

from .absence import verify_absence
from .chain import Answer, Authority, ChainFacts, Listed, NamedTransaction, Transaction, Walk, transactions_to_ask
from .commitment import commitment_of, member_digest
from .ed25519 import VerificationKey, key_id_of, signature_holds
from .findings import PROBLEM_CODES, UNSETTLED_CODES, Problem, Verification, Vouched, WindowTime
from .opening import disclose, opening_holds
from .package import verify_event, verify_package
from .sample import check_sample, draw_sample
from .series import SeriesRun, verify_series
from .strict_json import JsonRefused, NotCanonical, canonical_bytes, parse_json_strict
from .walk import transactions_of_walk, walk_back_to

__all__ = [
    "PROBLEM_CODES",
    "UNSETTLED_CODES",
    "Answer",
    "Authority",
    "ChainFacts",
    "JsonRefused",
    "Listed",
    "NamedTransaction",
    "NotCanonical",
    "Problem",
    "SeriesRun",
    "Transaction",
    "Verification",
    "VerificationKey",
    "Vouched",
    "Walk",
    "WindowTime",
    "canonical_bytes",
    "check_sample",
    "commitment_of",
    "disclose",
    "draw_sample",
    "key_id_of",
    "member_digest",
    "opening_holds",
    "parse_json_strict",
    "signature_holds",
    "transactions_of_walk",
    "transactions_to_ask",
    "verify_absence",
    "verify_event",
    "verify_package",
    "verify_series",
    "walk_back_to",
]

"""Answers of the chain about the transactions that a package or a proof names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Literal, Mapping, NamedTuple, Optional, Sequence, Union

from .findings import Findings
from .forms import milliseconds
from .memo import WindowMemo, read_report_memo, read_window_memo, window_seconds


@dataclass(frozen=True)
class Transaction:
    """A finalized transaction as reported by a Solana RPC; ``block_time`` is ISO 8601 in UTC."""

    succeeded: bool
    finalized: bool
    signers: Sequence[str]
    memos: Sequence[str]
    block_time: Optional[str]
    block_height: Optional[int]


@dataclass(frozen=True)
class Authority:
    """An address that may have anchored, on one network, in a period (``None``: open)."""

    address: str
    network: str
    valid_from: Optional[str] = None
    valid_to: Optional[str] = None


CLOCK_TOLERANCE = 300_000
"""Milliseconds by which the clocks of the chain and of the authority may differ."""

_OWN_NETWORK = "solana:localnet"
"""Any network whose genesis hash is not a public one."""

Answer = Union[Transaction, Literal["not-found", "unavailable"]]


@dataclass(frozen=True)
class Listed:
    """A transaction that names an address, as a node lists it, without its signers."""

    signature: str
    succeeded: bool
    block_time: Optional[str]
    memos: Sequence[str]


@dataclass(frozen=True)
class Walk:
    """The transactions of an authority, newest first.

    ``complete``: from the newest back to the time of :func:`walk_back_to`, or to the first of all.
    """

    address: str
    complete: bool
    listed: Sequence[Listed]


@dataclass(frozen=True)
class ChainFacts:
    """The network that was asked, its answer for each signature, and the authorities that the caller knows.

    ``authorities=None``: signers are not checked. ``walks=None``: their other transactions were not read.
    """

    network: str
    transactions: Mapping[str, Answer]
    authorities: Optional[Sequence[Authority]] = None
    walks: Optional[Sequence[Walk]] = None


class NamedTransaction(NamedTuple):
    signature: str
    network: str


def transactions_to_ask(package: Any) -> List[NamedTransaction]:
    """Each transaction that a package names, once: those of its proofs and windows, and the report's own.

    A single proof, of an event or of absence, names one.
    """
    members = package if isinstance(package, dict) else {}
    lists = [members.get(name) for name in ("inclusionProofs", "windows")] + [[members]]
    found: List[NamedTransaction] = []
    for items in lists:
        for item in items if isinstance(items, list) else []:
            if isinstance(item, dict):
                found.append(NamedTransaction(item.get("txSignature", ""), item.get("network", "")))
    timestamp = members.get("timestamp")
    if isinstance(timestamp, dict):
        found.append(NamedTransaction(timestamp.get("anchor_tx_signature") or "", timestamp.get("anchor") or ""))
    texts = [one for one in found if isinstance(one.signature, str) and isinstance(one.network, str) and one.signature]
    return list(dict.fromkeys(texts))


class ChainCheck:
    """Compares memos, signers and heights with the claims; counts what could not be asked."""

    def __init__(self, facts: Optional[ChainFacts], findings: Findings) -> None:
        self._facts = facts
        self._findings = findings
        self.asked = 0
        self.unanswered = 0

    def network_notes(self) -> List[str]:
        """Limits of transactions on the network that was asked, for the relying party."""
        if self._facts is None or self._facts.network != _OWN_NETWORK or self.unanswered == self.asked:
            return []
        return [f"a public network: {_OWN_NETWORK} is somebody's own, and whoever runs it can write it anew"]

    def check_report(self, timestamp: Mapping[str, Any], content_hash: str) -> Optional[int]:
        """The block time (milliseconds) of the report's anchor, if the chain confirms it."""
        path, before = "timestamp.anchor_tx_signature", len(self._findings)
        found = self._look_up(timestamp["anchor_tx_signature"], timestamp["anchor"], path)
        if found is None:
            return None
        hashes = [named for named in map(read_report_memo, found.memos) if named is not None]
        if not hashes:
            self._findings.add("transaction-memo", path, "it holds no memo of a report")
        elif content_hash not in hashes:
            self._findings.add("transaction-root-differs", path, "it names another report")
        self._check_signers(found, timestamp["anchor"], path)
        if found.block_height is not None and found.block_height != timestamp["anchor_block_height"]:
            self._findings.add("transaction-height-differs", path, "it lies in another block")
        return milliseconds(found.block_time) if len(self._findings) == before else None

    def check_window(self, claim: Mapping[str, Any], tree_size: int, path: str) -> None:
        """:param claim: an anchored proof or a window: ``merkleRoot``, ``txSignature``, ``network``, its label"""
        found = self._look_up(claim["txSignature"], claim["network"], path)
        if found is None:
            return
        memos = [memo for memo in map(read_window_memo, found.memos) if memo is not None]
        if not memos:
            self._findings.add("transaction-memo", path, "it holds no memo of a window")
        else:
            self._compare(memos, claim, tree_size, path)
        self._check_signers(found, claim["network"], path)
        at, end = milliseconds(found.block_time), milliseconds(claim["windowEnd"])
        if at is not None and end is not None and end - at > CLOCK_TOLERANCE:
            self._findings.add("transaction-early", path, f"its block time is before {claim['windowEnd']}")

    def _look_up(self, signature: str, network: str, path: str) -> Optional[Transaction]:
        self.asked += 1
        facts = self._facts
        answer = facts.transactions.get(signature) if facts is not None and facts.network == network else None
        if answer is None or answer == "unavailable":
            self.unanswered += 1
            return None
        if not isinstance(answer, Transaction):
            self._findings.add("transaction-not-found", path, "the chain has no such transaction")
            return None
        if not answer.finalized:
            self.unanswered += 1
            return None
        if not answer.succeeded:
            self._findings.add("transaction-failed", path, "the transaction failed")
            return None
        return answer

    def check_height(self, anchor: Mapping[str, Any], path: str) -> None:
        """:param anchor: an item of ``agents[i].anchors``"""
        answer = self._facts.transactions.get(anchor["chain_tx_signature"]) if self._facts is not None else None
        height = answer.block_height if isinstance(answer, Transaction) else None
        if height is not None and height != anchor["chain_block_height"]:
            self._findings.add("transaction-height-differs", path, "it lies in another block")

    def _compare(self, memos: List[WindowMemo], claim: Mapping[str, Any], tree_size: int, path: str) -> None:
        start, end = milliseconds(claim["windowStart"]), milliseconds(claim["windowEnd"])
        length = window_seconds(start, end) if start is not None and end is not None else None
        rooted = [memo for memo in memos if memo.root == claim["merkleRoot"]]
        sized = [memo for memo in rooted if memo.agents == tree_size]
        if not rooted:
            self._findings.add("transaction-root-differs", path, "it holds another root")
        elif not sized:
            self._findings.add("transaction-size-differs", path, "it names another size of the tree")
        elif not any(memo.start == start and memo.seconds == length for memo in sized):
            self._findings.add("transaction-window-differs", path, "it names another window")

    def _check_signers(self, found: Transaction, network: str, path: str) -> None:
        authorities = self._facts.authorities if self._facts is not None else None
        if authorities is None:
            return
        at = milliseconds(found.block_time)
        if not any(may_sign(authority, found, network, at) for authority in authorities):
            self._findings.add("transaction-authority", path, "no authority that is known signed it at that time")


def may_sign(authority: Authority, found: Transaction, network: str, at: Optional[int]) -> bool:
    if authority.network != network or authority.address not in found.signers:
        return False
    return at is None or lies_in(at, authority.valid_from, authority.valid_to)


def lies_in(at: int, valid_from: Optional[str], valid_to: Optional[str]) -> bool:
    """True if a time (milliseconds) lies in a period (ISO 8601, ``None`` is open), its end excluded."""
    start, end = milliseconds(valid_from), milliseconds(valid_to)
    after = valid_from is None or (start is not None and start <= at)
    return after and (valid_to is None or (end is not None and at < end))

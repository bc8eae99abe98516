"""Compares a package with everything that its authorities anchored: nothing rewritten, nothing left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Hashable, Iterable, List, Mapping, Optional, Sequence, Set, Tuple

from .absence import verify_absence
from .chain import CLOCK_TOLERANCE, Authority, ChainFacts, Listed, Transaction, Walk
from .findings import Findings
from .forms import milliseconds
from .line import ChainWindow, Line, windows_of
from .merkle import agent_key
from .shape import misshapen

BOUND = 100_000
"""Maximum number of transactions listed for each authority; beyond it they are reported as not checked."""
LOOK_UPS = 10_000
"""Maximum number of these that are looked up."""

_NAMED = 10
_Identity = Tuple[str, int, int]


def walk_back_to(package: Any) -> Optional[int]:
    """Block time (milliseconds) down to which an authority's transactions concern a package; ``None``: it is none."""
    if not isinstance(package, dict) or misshapen(package) is not None:
        return None
    starts = [milliseconds(window["windowStart"]) or 0 for window in package["windows"]]
    anchored = {window["agentId"] for window in package["windows"]}
    from_start = any(agent["firstSequence"] != 1 or agent["id"] not in anchored for agent in package["agents"])
    if from_start or not starts:
        starts.append(milliseconds(package["range"]["from"]) or 0)
    return max(0, min(starts) - CLOCK_TOLERANCE)


def transactions_of_walk(package: Any, chain: ChainFacts) -> List[str]:
    """Listed transactions to look up before :func:`verify_package`; to be called again with the answers."""
    if not isinstance(package, dict) or misshapen(package) is not None:
        return []
    report = chain.transactions.get(package["timestamp"]["anchor_tx_signature"] or "")
    at = milliseconds(report.block_time) if isinstance(report, Transaction) else None
    seen = _look(package, chain, at)
    wanted = [window for _, group in seen.conflicts for window in group]
    wanted += [*seen.gaps, *(window for window, _ in seen.unlisted)]
    signatures = dict.fromkeys(window.signature for window in wanted if not window.signed)
    asked = sum(one.signature in chain.transactions for walk in chain.walks or () for one in walk.listed)
    left = [signature for signature in signatures if signature not in chain.transactions]
    return left[: max(0, LOOK_UPS - asked)]


def check_walk(
    package: Mapping[str, Any],
    chain: Optional[ChainFacts],
    report_time: Optional[int],
    absences: Sequence[Any],
    findings: Findings,
) -> List[str]:
    """:param package: one whose members and proofs are well-formed

    :param report_time: block time (milliseconds) of the report's own transaction; ``None``: not proven
    :return: the completed checks, as text
    """
    if chain is None:
        return []
    seen = _look(package, chain, report_time)
    _check_order(package, seen, findings)
    _check_conflicts(package, seen, findings)
    if chain.authorities is None or not _reaches(package, chain, findings):
        return []
    if seen.gaps:
        findings.leave_open("chain-gap", f"{len(seen.gaps)} windows of the range follow one that is on no transaction")
    absent = _absences(absences, chain)
    left: Dict[str, int] = {}
    for window, agent_id in seen.unlisted:
        if (agent_id, window.identity) not in absent:
            left[agent_id] = left.get(agent_id, 0) + 1
    if left:
        named = ", ".join(f"{agent_id} in {count} windows" for agent_id, count in list(left.items())[:_NAMED])
        more = f", and {len(left) - _NAMED} more agents" if len(left) > _NAMED else ""
        message = f"whether there were events of {named}{more}: anchored, in the range, and not listed"
        findings.leave_open("window-unlisted", f"{message}; proofs of absence settle it")
    return (
        [] if findings.open else [f"{len(seen.windows)} windows on the chain: one root each, in one line, all listed"]
    )


@dataclass(frozen=True)
class _Seen:
    windows: Sequence[ChainWindow]
    line: Line
    conflicts: Sequence[Tuple[str, Sequence[ChainWindow]]]
    gaps: Sequence[ChainWindow]
    unlisted: Sequence[Tuple[ChainWindow, str]]


def _look(package: Mapping[str, Any], chain: ChainFacts, report_time: Optional[int]) -> _Seen:
    windows = _windows(package, chain)
    line = Line(windows)
    start, end = (milliseconds(package["range"][name]) or 0 for name in ("from", "to"))
    listed = {_identity(window) for window in package["windows"]}

    def concerns(window: ChainWindow) -> bool:
        return window.identity in listed or (window.memo.start < end and window.end > start)

    conflicts = [
        (kind, group)
        for kind, (key_of, differs) in _CONFLICTS.items()
        for group in _groups(windows, key_of)
        if len({differs(one) for one in group}) > 1 and any(map(concerns, group))
    ]
    walked = chain.walks is not None and chain.authorities is not None
    lines = _groups(line.origins, lambda window: (window.authority, window.memo.seconds))
    gaps = [window for group in lines for window in group[1:] if walked and concerns(window)]
    return _Seen(windows, line, conflicts, gaps, _unlisted(package, windows, line, report_time) if walked else [])


_Key = Callable[[ChainWindow], Hashable]
_CONFLICTS: Mapping[str, Tuple[_Key, _Key]] = {
    "label": (lambda one: (one.authority, one.label), lambda one: one.memo.root),
    "root": (lambda one: (one.authority, one.memo.root), lambda one: one.label),
    "prev": (lambda one: (one.authority, one.memo.seconds, one.memo.prev), lambda one: one.memo.root),
}


def _groups(windows: Iterable[ChainWindow], key_of: _Key) -> List[List[ChainWindow]]:
    groups: Dict[Hashable, List[ChainWindow]] = {}
    for window in windows:
        groups.setdefault(key_of(window), []).append(window)
    return list(groups.values())


def _identity(window: Mapping[str, Any]) -> _Identity:
    return (
        window["merkleRoot"],
        milliseconds(window["windowStart"]) or 0,
        milliseconds(window["windowEnd"]) or 0,
    )


def _windows(package: Mapping[str, Any], chain: ChainFacts) -> List[ChainWindow]:
    """The windows of all lists, oldest first, and of named transactions that are on no list."""
    authorities = chain.authorities
    addresses = None if authorities is None else {one.address for one in authorities}
    walks = [] if addresses is None else [walk for walk in chain.walks or () if walk.address in addresses]
    listed = {one.signature for walk in walks for one in walk.listed}
    named = [one for one in dict.fromkeys(window["txSignature"] for window in package["windows"]) if one not in listed]
    known = list(authorities or ())
    for signature in named:
        answer = chain.transactions.get(signature)
        if not isinstance(answer, Transaction):
            continue
        signers = [one for one in answer.signers if addresses is None or one in addresses]
        if signers:
            entry = Listed(signature, answer.succeeded, answer.block_time, answer.memos)
            walks.append(Walk(signers[0], False, [entry]))
            if authorities is None:
                known.append(Authority(signers[0], chain.network))
    facts = ChainFacts(chain.network, chain.transactions, known)
    return [window for walk in walks for window in windows_of(walk, facts)]


def _unlisted(
    package: Mapping[str, Any], windows: Sequence[ChainWindow], line: Line, report_time: Optional[int]
) -> List[Tuple[ChainWindow, str]]:
    """Windows that may hold events of an agent which are not in the package."""
    on_chain = {window.identity: window for window in windows}
    leaves: Dict[_Identity, List[Mapping[str, Any]]] = {}
    runs: Dict[str, List[Mapping[str, Any]]] = {}
    for listed in package["windows"]:
        leaves.setdefault(_identity(listed), []).append(listed)
        runs.setdefault(listed["agentId"], []).append(listed)
    in_range = [window for window in windows if _should_be_listed(package, window, report_time)]
    found: List[Tuple[ChainWindow, str]] = []
    for agent in package["agents"]:
        run = sorted(runs.get(agent["id"], ()), key=lambda one: one["leaf"]["firstSequence"])
        ends = [on_chain.get(_identity(one)) for one in (run[:1] + run[-1:])]
        key = agent_key(agent["id"])
        for window in in_range:
            if not _within_run(window, ends, agent["firstSequence"], line) and not _surrounded(
                leaves.get(window.identity, []), key
            ):
                found.append((window, agent["id"]))
    return found


def _within_run(window: ChainWindow, ends: Sequence[Optional[ChainWindow]], number: Any, line: Line) -> bool:
    """True if the numbers of an agent, without a gap, show that the window holds no more of them."""
    if not ends or ends[0] is None or ends[-1] is None or not line.is_before(window, ends[-1]):
        return False
    return number == 1 or not line.is_before(window, ends[0])


def _should_be_listed(package: Mapping[str, Any], window: ChainWindow, report_time: Optional[int]) -> bool:
    start, end = (milliseconds(package["range"][name]) or 0 for name in ("from", "to"))
    if window.end <= start or window.memo.start >= end:
        return False
    if report_time is None or window.block_time is None or window.block_time <= report_time:
        return True
    return window.memo.start >= start and window.end <= min(end, report_time)


def _surrounded(listed: Sequence[Mapping[str, Any]], key: str) -> bool:
    """True if the listed leaves of one window contain the agent, or enclose its position."""
    if not listed:
        return False
    before, after = -1, listed[0]["treeSize"]
    for window in listed:
        other = window["leaf"]["agentKey"]
        if other == key:
            return True
        if other < key:
            before = max(before, window["leafIndex"])
        else:
            after = min(after, window["leafIndex"])
    return bool(before + 1 == after)


def _check_order(package: Mapping[str, Any], seen: _Seen, findings: Findings) -> None:
    on_chain = {window.identity: window for window in seen.windows}
    runs: Dict[str, List[Tuple[int, Mapping[str, Any]]]] = {}
    for index, listed in enumerate(package["windows"]):
        runs.setdefault(listed["agentId"], []).append((index, listed))
    for run in runs.values():
        run.sort(key=lambda one: one[1]["leaf"]["firstSequence"])
        for (_, before), (index, after) in zip(run, run[1:]):
            first, second = on_chain.get(_identity(before)), on_chain.get(_identity(after))
            if first is None or second is None or first.memo.seconds != second.memo.seconds:
                continue
            if seen.line.is_before(second, first):
                findings.add("window-order-differs", f"windows[{index}]", "prev says that it was closed before")


def _check_conflicts(package: Mapping[str, Any], seen: _Seen, findings: Findings) -> None:
    unread = 0
    for kind, group in seen.conflicts:
        signed = [window for window in group if window.signed]
        if len({_CONFLICTS[kind][1](window) for window in signed}) < 2:
            unread += len(signed) < len(group)
            continue
        identities = {window.identity for window in signed}
        indexes = [index for index, one in enumerate(package["windows"]) if _identity(one) in identities]
        code, message = (
            ("window-forked", "two windows of the authority follow the same one")
            if kind == "prev"
            else ("window-equivocated", "the authority anchored it with another root, or under another label")
        )
        path = f"windows[{indexes[0]}]" if indexes else "windows"
        findings.add(code, path, f"{message}: {signed[0].signature}, {signed[1].signature}")
    if unread:
        findings.leave_open("chain-not-walked", f"{unread} memos contradict each other, and were not looked up")


def _reaches(package: Mapping[str, Any], chain: ChainFacts, findings: Findings) -> bool:
    windows = package["windows"]
    if windows and all(window["network"] != chain.network for window in windows):
        return False
    why = _why_short(windows, chain)
    if why is not None:
        findings.leave_open("chain-not-walked", f"what else the authority anchored: {why}")
    return why is None


def _why_short(windows: Sequence[Mapping[str, Any]], chain: ChainFacts) -> Optional[str]:
    if chain.walks is None:
        return "its transactions were not read"
    complete = {walk.address for walk in chain.walks if walk.complete}
    for authority in chain.authorities or ():
        if authority.network == chain.network and authority.address not in complete:
            return f"the transactions of {authority.address} could not be read back to the first window"
    listed = {one.signature for walk in chain.walks for one in walk.listed}
    for window in windows:
        if window["txSignature"] not in listed:
            return f"the list of the node lacks {window['txSignature']}, which the package names"
    return None


def _absences(absences: Sequence[Any], chain: ChainFacts) -> Set[Tuple[str, _Identity]]:
    return {
        (absence["agentId"], _identity(absence))
        for absence in absences
        if verify_absence(absence, chain).vouched.anchor
    }

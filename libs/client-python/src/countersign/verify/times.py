"""Compares block times with the times in a package: a root proves that its content existed by its block time."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Tuple

from .chain import CLOCK_TOLERANCE, ChainFacts, Transaction
from .findings import Findings, WindowTime
from .forms import milliseconds

LATE = 3_600_000
"""Milliseconds after its end, beyond its duration, within which a window counts as anchored on time."""

_Label = Tuple[str, str, str]


def check_times(package: Mapping[str, Any], chain: Optional[ChainFacts], findings: Findings) -> List[WindowTime]:
    """Leaves open windows that were anchored late, and events dated after their block or long before their window.

    :return: the times of the windows whose transactions were found
    """
    times: Dict[_Label, WindowTime] = {}
    late: List[WindowTime] = []
    for window in package["windows"]:
        found = _found(window, chain)
        if found is None:
            continue
        start, end = _span(window)
        at = milliseconds(found.block_time)
        after = None if at is None else (at - end) / 1000
        named = window["windowStart"], window["windowEnd"], window["txSignature"]
        time = WindowTime(*named, None if at is None else found.block_time, after)
        if times.setdefault(_label(window), time) is time and at is not None and at - end > LATE + end - start:
            late.append(time)
    if late:
        message = f"{len(late)} windows were anchored late, such as that of {late[0].start} at {late[0].anchored_at}"
        findings.leave_open("window-late", f"{message}: nothing shows that they existed when they ended")
    unknown = sum(1 for time in times.values() if time.anchored_at is None)
    if unknown:
        findings.leave_open("time-unknown", f"when {unknown} windows were anchored: the node keeps no block time")
    _check_events(package, times, findings)
    return list(times.values())


def _check_events(package: Mapping[str, Any], times: Mapping[_Label, WindowTime], findings: Findings) -> None:
    late: List[str] = []
    ahead: List[str] = []
    for index, proof in enumerate(package["inclusionProofs"]):
        time = times.get(_label(proof)) if proof["anchored"] else None
        at = None if time is None else milliseconds(time.anchored_at)
        occurred = milliseconds(package["events"][index]["event"]["occurredAt"])
        if at is None or occurred is None:
            continue
        start, end = _span(proof)
        if occurred - at > CLOCK_TOLERANCE:
            ahead.append(f"events[{index}]")
        elif at - occurred > LATE + 2 * (end - start):
            late.append(f"events[{index}]")
    if late:
        message = f"{len(late)} events were anchored long after the time that they name, such as {late[0]}"
        findings.leave_open("event-late", message)
    if ahead:
        findings.leave_open("event-ahead", f"{len(ahead)} events are dated after their own block, such as {ahead[0]}")


def _label(claim: Mapping[str, Any]) -> _Label:
    return (claim["txSignature"], claim["windowStart"], claim["windowEnd"])


def _span(claim: Mapping[str, Any]) -> Tuple[int, int]:
    return milliseconds(claim["windowStart"]) or 0, milliseconds(claim["windowEnd"]) or 0


def _found(window: Mapping[str, Any], chain: Optional[ChainFacts]) -> Optional[Transaction]:
    if chain is None or chain.network != window["network"]:
        return None
    answer = chain.transactions.get(window["txSignature"])
    return answer if isinstance(answer, Transaction) and answer.finalized and answer.succeeded else None

"""Verification of a series: a signed manifest that joins packages of adjacent ranges (FORMAT.md, "Series")."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .chain import ChainFacts
from .ed25519 import VerificationKey
from .findings import NO_VOUCHER, Verification, Vouched
from .package import PackageRun, Stopped
from .series_changes import change_lines
from .series_shape import misshapen_series
from .strict_json import NotCanonical, canonical_bytes, sha256_hex

CHANGES = ("frameworks", "mapping", "scope", "agents")
_SUMMED = (
    "events",
    "outside",
    "allowed",
    "denied",
    "frozen",
    "capped",
    "satisfied",
    "prevented",
    "gap",
    "anchored",
    "unanchored",
)
_DECISIONS = {
    "allowed": "allowed",
    "denied": "denied",
    "frozen": "frozen",
    "sandbox_expired": "capped",
    "action_cap": "capped",
}
_STATUSES = {"Satisfied": "satisfied", "Prevented": "prevented", "Gap, review required": "gap"}


class SeriesRun(PackageRun):
    """Verifies a series and its packages, which are given one by one in any order.

    ``add`` takes a package and the result of :func:`verify_package` for it; ``finish`` returns the result.
    """

    def __init__(
        self, series: Any, keys: Optional[Sequence[VerificationKey]] = None, chain: Optional[ChainFacts] = None
    ) -> None:
        super().__init__(keys, chain, ())
        self._series: Optional[Mapping[str, Any]] = None
        self._places: Dict[str, int] = {}
        self._results: Dict[int, Verification] = {}
        self._leaves: Dict[Tuple[str, int], str] = {}
        self._shared: List[Dict[str, Tuple[int, float]]] = []
        self._added = 0
        try:
            read, key = self.read_signed(series, "series-1.0.0")
            wrong = misshapen_series(read)
            if wrong is not None:
                self.stop("structure", wrong, "it is missing, or has not its form")
        except Stopped:
            return
        self._series, self._key = read, key
        self._places = {entry["sha256"]: index for index, entry in enumerate(read["packages"])}
        self._shared = _shared_numbers(read["packages"])
        self._check_joints(read)

    @property
    def listed(self) -> Sequence[Mapping[str, Any]]:
        """The entries of the packages; empty where the series is refused."""
        return self._series["packages"] if self._series is not None else []

    @property
    def changes(self) -> List[str]:
        """Its changes, as lines for the reader; empty where the series is refused."""
        return change_lines(self._series["changes"]) if self._series is not None else []

    def add(self, package: Any, result: Verification) -> None:
        """Compares a package with its entry."""
        if self._series is None:
            return
        self._added += 1
        place = self._places.get(_hash_of(package))
        if place is None:
            self._findings.add("series-package-unlisted", "packages", "a package was given that is not listed")
            return
        path = f"packages[{place}]"
        self._results[place] = result
        if not result.ok:
            self._findings.add("series-package-invalid", path, f"it does not hold: {result.first_problem}")
            return
        expected = entry_of(package)
        for name, value in expected.items():
            if not _are_same(value, self.listed[place][name]):
                self._findings.add("series-package-differs", f"{path}.{name}", "the package says something else")
                break
        self._compare_shared(package, place)

    def finish(self) -> Verification:
        """The result; ``vouched`` covers the series and every package that it lists."""
        if self._series is None:
            return self.result()
        self._check_time(self._series, self._key)
        self._check_whole(self._series["packages"])
        own = self.result()
        whole = len(self._results) == len(self.listed)
        every = list(self._results.values())
        pending = self._series["timestamp"]["anchor"] == "pending"
        vouched = Vouched(
            whole and own.vouched.issuer and all(one.vouched.issuer for one in every),
            whole and (own.vouched.anchor or pending) and all(one.vouched.anchor for one in every),
        )
        return Verification(
            own.problems,
            own.checked,
            own.not_checked,
            own.issuer_checked,
            own.chain_checked,
            own.authority_checked,
            sum(one.anchored for one in every),
            sum(one.unanchored for one in every),
            vouched=NO_VOUCHER if own.problems else vouched,
            unsettled=tuple(dict.fromkeys(code for one in every for code in one.unsettled)),
        )

    def _check_joints(self, series: Mapping[str, Any]) -> None:
        packages, findings = series["packages"], self._findings
        before = len(findings)
        start = series["range"]["from"]
        for index, entry in enumerate(packages):
            if entry["range"]["from"] != start:
                findings.add("series-range-differs", f"packages[{index}].range.from", f"it does not begin at {start}")
            start = entry["range"]["to"]
        if start != series["range"]["to"]:
            findings.add("series-range-differs", "range.to", "the last package does not end there")
        if len(findings) == before:
            self._checked.append(f"the ranges of {len(packages)} packages are adjacent, and cover the whole")
        gaps = _gaps(packages)
        for agent, first, last in gaps:
            findings.add("series-sequence-missing", "packages", f"of agent {agent}, {first} to {last} is in none")
        if not gaps:
            self._checked.append("the numbers of every agent: nothing lies between packages")
        for code, name, expected in (
            ("series-agents-differ", "agents", _agents(packages)),
            ("series-totals-differ", "totals", _totals(packages)),
            ("series-changes-differ", "changes", _changes(packages)),
        ):
            if not _are_same(series[name], expected):
                findings.add(code, name, "it is not what the packages add up to")

    def _check_whole(self, packages: List[Mapping[str, Any]]) -> None:
        if self._added == 0:
            self._not_checked.append(f"the {len(packages)} packages of the series: none was given")
            return
        for index, entry in enumerate(packages):
            if index not in self._results:
                message = f"{entry['reportId']} was not given"
                self._findings.add("series-package-missing", f"packages[{index}]", message)
        if not self._findings.problems:
            self._checked.append(f"{len(packages)} packages: each is the one that is listed")
        unchecked = sum(not one.vouched.issuer for one in self._results.values())
        if unchecked:
            self._not_checked.append(f"the issuer of {unchecked} packages")

    def _compare_shared(self, package: Mapping[str, Any], place: int) -> None:
        """The same number of an agent is the same event in each package that holds it."""
        shared = self._shared[place]
        for entry in package["events"] if shared else []:
            agent, number = entry["event"]["agentId"], entry["sequence"]
            up_to, start = shared.get(agent, (0, float("inf")))
            if up_to < number < start:
                continue
            digest = sha256_hex(canonical_bytes(entry["event"]))
            if self._leaves.setdefault((agent, number), digest) != digest:
                message = f"number {number} of agent {agent} is another event than in another package"
                self._findings.add("series-overlap-differs", f"packages[{place}]", message)


def verify_series(
    series: Any,
    packages: Sequence[Tuple[Any, Verification]],
    keys: Optional[Sequence[VerificationKey]] = None,
    chain: Optional[ChainFacts] = None,
) -> Verification:
    """Verifies a series with its packages, each with the result of :func:`verify_package`; none: the series alone."""
    run = SeriesRun(series, keys, chain)
    for package, result in packages:
        run.add(package, result)
    return run.finish()


def entry_of(package: Mapping[str, Any]) -> Dict[str, Any]:
    """The entry of a sound package."""
    return {
        "reportId": package["reportId"],
        "sha256": package["sha256"],
        "issuedAt": package["timestamp"]["issued_at"],
        "range": {name: package["range"][name] for name in ("from", "to")},
        "frameworks": package["frameworks"],
        "mapping": {name: package["mapping"][name] for name in ("version", "sha256")},
        "scopeSha256": sha256_hex(canonical_bytes(package["scope"])),
        "counts": _counts(package),
        "agents": _entry_agents(package),
        "denials": _denials(package["events"]),
    }


def _are_same(one: Any, other: Any) -> bool:
    """True if both have the same canonical bytes. A value that has none, such as a sum beyond 2^53, is another one."""
    try:
        return canonical_bytes(one) == canonical_bytes(other)
    except NotCanonical:
        return False


def _hash_of(package: Any) -> str:
    """The hash of the canonical bytes, recomputed; empty for what has none."""
    if not isinstance(package, dict):
        return ""
    left_out = ("sha256", "signature", "algorithm", "publicKeyUrl")
    try:
        return sha256_hex(canonical_bytes({name: value for name, value in package.items() if name not in left_out}))
    except NotCanonical:
        return ""


def _counts(package: Mapping[str, Any]) -> Dict[str, Any]:
    counts: Dict[str, Any] = dict.fromkeys(_SUMMED, 0)
    violations: Dict[str, int] = {}
    for entry, proof in zip(package["events"], package["inclusionProofs"]):
        if entry.get("outsideRange"):
            counts["outside"] += 1
            continue
        event = entry["event"]
        counts["events"] += 1
        counts[_STATUSES[entry["status"]]] += 1
        counts["anchored" if proof["anchored"] else "unanchored"] += 1
        if event["type"] == "action.checked":
            counts[_DECISIONS[event["outcome"]]] += 1
            if event["violation_type"] is not None:
                violations[event["violation_type"]] = violations.get(event["violation_type"], 0) + 1
    return {**counts, "byViolation": violations}


def _entry_agents(package: Mapping[str, Any]) -> List[Dict[str, Any]]:
    agents = []
    for agent in package["agents"]:
        windows = [window for window in package["windows"] if window["agentId"] == agent["id"]]
        agents.append(
            {
                **{name: agent[name] for name in ("id", "name", "firstSequence", "lastSequence")},
                "windows": len(windows),
                "windowsFrom": windows[0]["windowStart"] if windows else None,
                "windowsTo": windows[-1]["windowEnd"] if windows else None,
            }
        )
    return agents


def _denials(events: List[Mapping[str, Any]]) -> List[Dict[str, Any]]:
    groups: Dict[Tuple[str, str, Optional[str], str], Dict[str, Any]] = {}
    for entry in events:
        event = entry["event"]
        is_denial = event["type"] == "action.checked" and event["outcome"] == "denied"
        if not is_denial or entry.get("outsideRange"):
            continue
        key = (event["agentId"], event["violation_type"], event["rule"], event["occurredAt"][:10])
        moment = {"sequence": entry["sequence"], "occurredAt": event["occurredAt"]}
        group = groups.setdefault(key, {"count": 0, "first": moment, "last": moment})
        group["count"] += 1
        group["last"] = moment

    def order(key: Tuple[str, str, Optional[str], str]) -> Tuple[Any, ...]:
        agent, violation, rule, day = key
        return (agent, violation, rule is not None, (rule or "").encode("utf-16-be", "surrogatepass"), day)

    names = ("agentId", "violationType", "rule", "day")
    return [{**dict(zip(names, key)), **groups[key]} for key in sorted(groups, key=order)]


def _totals(packages: List[Mapping[str, Any]]) -> Dict[str, Any]:
    violations: Dict[str, int] = {}
    for entry in packages:
        for name, count in entry["counts"]["byViolation"].items():
            violations[name] = violations.get(name, 0) + count
    sums = {name: sum(entry["counts"][name] for entry in packages) for name in _SUMMED}
    return {"packages": len(packages), **sums, "byViolation": violations}


def _agents(packages: List[Mapping[str, Any]]) -> List[Dict[str, Any]]:
    found: Dict[str, Dict[str, Any]] = {}
    for agent in (agent for entry in packages for agent in entry["agents"]):
        known = found.setdefault(agent["id"], {"id": agent["id"], "firstSequence": None, "lastSequence": None})
        known["name"] = agent["name"]
        if agent["firstSequence"] is not None:
            first, last = known["firstSequence"], known["lastSequence"]
            known["firstSequence"] = agent["firstSequence"] if first is None else min(first, agent["firstSequence"])
            known["lastSequence"] = agent["lastSequence"] if last is None else max(last, agent["lastSequence"])
    for known in found.values():
        is_empty = known["firstSequence"] is None
        known["count"] = 0 if is_empty else known["lastSequence"] - known["firstSequence"] + 1
    return list(found.values())


def _changes(packages: List[Mapping[str, Any]]) -> List[Dict[str, str]]:
    return [
        {"reportId": entry["reportId"], "member": member}
        for before, entry in zip(packages, packages[1:])
        for member in CHANGES
        if _aspect(before, member) != _aspect(entry, member)
    ]


def _aspect(entry: Mapping[str, Any], member: str) -> Any:
    if member == "scope":
        return entry["scopeSha256"]
    if member == "agents":
        return sorted(agent["id"] for agent in entry["agents"])
    return sorted(entry["frameworks"]) if member == "frameworks" else entry["mapping"]


def _gaps(packages: List[Mapping[str, Any]]) -> List[Tuple[str, int, int]]:
    """Numbers of each agent that lie between packages."""
    runs: Dict[str, List[Tuple[int, int]]] = {}
    for agent in (agent for entry in packages for agent in entry["agents"]):
        if agent["firstSequence"] is not None:
            runs.setdefault(agent["id"], []).append((agent["firstSequence"], agent["lastSequence"]))
    gaps: List[Tuple[str, int, int]] = []
    for agent_id, numbers in runs.items():
        numbers.sort()
        end = numbers[0][1]
        for first, last in numbers[1:]:
            if first > end + 1:
                gaps.append((agent_id, end + 1, first - 1))
            end = max(end, last)
    return gaps


def _shared_numbers(packages: List[Mapping[str, Any]]) -> List[Dict[str, Tuple[int, float]]]:
    """Of each package and agent the numbers that others may hold too: up to the first, and from the second on."""
    shared: List[Dict[str, Tuple[int, float]]] = [{} for _ in packages]
    highest: Dict[str, int] = {}
    for index, entry in enumerate(packages):
        for agent in entry["agents"]:
            if agent["firstSequence"] is None:
                continue
            known = highest.get(agent["id"])
            if known is not None:
                shared[index][agent["id"]] = (known, float("inf"))
            highest[agent["id"]] = max(known or 0, agent["lastSequence"])
    lowest: Dict[str, int] = {}
    for index in range(len(packages) - 1, -1, -1):
        for agent in packages[index]["agents"]:
            if agent["firstSequence"] is None:
                continue
            after = lowest.get(agent["id"])
            if after is not None:
                shared[index][agent["id"]] = (shared[index].get(agent["id"], (0, 0.0))[0], float(after))
            lowest[agent["id"]] = agent["firstSequence"] if after is None else min(after, agent["firstSequence"])
    return shared

"""Step 8 of a package: its windows hold, match the proofs, follow each other, and are listed as anchors."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Set, Tuple

from .chain import ChainCheck
from .findings import Findings
from .merkle import agent_key, root_from_path, window_leaf

_Key = Tuple[str, str, int]


def check_windows(package: Mapping[str, Any], chain: ChainCheck, findings: Findings) -> None:
    """:param package: one whose members and proofs are well-formed"""
    by_key: Dict[_Key, Mapping[str, Any]] = {}
    sizes: Dict[str, int] = {}
    by_agent: Dict[str, List[Tuple[int, Mapping[str, Any]]]] = {}
    for index, window in enumerate(package["windows"]):
        _check_window(window, f"windows[{index}]", findings)
        key = (window["agentId"], window["merkleRoot"], window["leaf"]["firstSequence"])
        if key in by_key:
            findings.add("window-differs", f"windows[{index}]", "it is listed twice")
        if sizes.setdefault(window["merkleRoot"], window["treeSize"]) != window["treeSize"]:
            findings.add("window-differs", f"windows[{index}].treeSize", "the same root is given two sizes")
        by_key[key] = window
        by_agent.setdefault(window["agentId"], []).append((index, window))
    named: Set[_Key] = set()
    for index, proof in enumerate(package["inclusionProofs"]):
        if proof["anchored"]:
            agent_id = package["events"][index]["event"]["agentId"]
            key = (agent_id, proof["merkleRoot"], proof["agent"]["firstSequence"])
            named.add(key)
            _compare(proof, by_key.get(key), f"inclusionProofs[{index}]", findings)
    for key, window in by_key.items():
        if key not in named:
            findings.add("window-differs", "windows", f"no proof names the window {window['windowStart']} of {key[0]}")
    for windows in by_agent.values():
        _check_order(windows, findings)
    for index, agent in enumerate(package["agents"]):
        windows_by_transaction = {window["txSignature"]: window for _, window in by_agent.get(agent["id"], [])}
        for at, anchor in enumerate(agent["anchors"]):
            path = f"agents[{index}].anchors[{at}]"
            listed = windows_by_transaction.get(anchor["chain_tx_signature"])
            if listed is not None and _of_anchor(anchor) != _of_window(listed):
                findings.add("anchor-list-differs", path, "it is not that of the listed window")
            chain.check_height(anchor, path)


def _check_window(window: Mapping[str, Any], path: str, findings: Findings) -> None:
    leaf = window["leaf"]
    if leaf["agentKey"] != agent_key(window["agentId"]):
        findings.add("window-differs", f"{path}.leaf.agentKey", "it is that of another agent")
    hashed = window_leaf(
        leaf["agentKey"], leaf["agentRoot"], leaf["count"], leaf["firstSequence"], leaf["lastSequence"]
    )
    if root_from_path(hashed, window["leafIndex"], window["treeSize"], window["path"]) != window["merkleRoot"]:
        findings.add("window-root-differs", path, "its leaf does not lead to its root")


def _compare(proof: Mapping[str, Any], window: Any, path: str, findings: Findings) -> None:
    if window is None:
        findings.add("window-missing", path, "its window is not listed")
        return
    agent, leaf = proof["agent"], window["leaf"]
    same = (
        all(proof[name] == window[name] for name in ("txSignature", "network", "windowStart", "windowEnd"))
        and all(agent[name] == leaf[name] for name in ("agentKey", "agentRoot", "firstSequence", "lastSequence"))
        and all(agent[name] == window[name] for name in ("leafIndex", "treeSize", "path"))
    )
    if not same:
        findings.add("window-differs", path, "the listed window says something else")


def _check_order(windows: List[Tuple[int, Mapping[str, Any]]], findings: Findings) -> None:
    ordered = sorted(windows, key=lambda item: item[1]["leaf"]["firstSequence"])
    for (_, before), (index, after) in zip(ordered, ordered[1:]):
        if after["leaf"]["firstSequence"] != before["leaf"]["lastSequence"] + 1:
            findings.add("window-gap", f"windows[{index}]", "it does not follow the agent's window before it")


def _of_anchor(anchor: Mapping[str, Any]) -> Tuple[str, ...]:
    names = ("merkle_root", "window_start", "window_end")
    return tuple(anchor[name] for name in names)


def _of_window(window: Mapping[str, Any]) -> Tuple[str, ...]:
    return tuple(window[name] for name in ("merkleRoot", "windowStart", "windowEnd"))

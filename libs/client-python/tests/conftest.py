"""What tests share: one service for all that need one."""

from __future__ import annotations

import os
from typing import Iterator

import pytest
from played_service import PlayedService
from service import Service, what_is_missing


@pytest.fixture(scope="session")
def built() -> None:
    """Skips where node or the built services are not there; ``COUNTERSIGN_TEST_INFRA=required`` makes it a failure."""
    missing = what_is_missing()
    if missing is None:
        return
    if os.environ.get("COUNTERSIGN_TEST_INFRA") == "required":
        pytest.fail(missing)
    pytest.skip(missing)


@pytest.fixture(scope="session")
def service(built: None) -> Iterator[Service]:
    running = Service()
    try:
        yield running
    finally:
        running.stop()


@pytest.fixture
def played() -> Iterator[PlayedService]:
    running = PlayedService()
    yield running
    running.stop()

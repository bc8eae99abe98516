"""Shared fixtures: one service for all tests that need one."""

from __future__ import annotations

import os
from typing import Iterator

import pytest
from played_service import PlayedService
from service import Service, what_is_missing


@pytest.fixture(scope="session")
def built() -> None:
    """Skips if node or the built services are missing; ``COUNTERSIGN_TEST_INFRA=required`` makes that a failure."""
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

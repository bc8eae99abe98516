"""The wire form of an action."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from typing import Any

import pytest

from countersign import Countersign
from countersign.action import body_of


@pytest.mark.parametrize("money", ["12.5", "0.1", "100", "1E+2", "-0.07", "99999999999.99"])
def test_money_is_a_number(money: str) -> None:
    sent = json.loads(body_of({"estimatedCost": Decimal(money)}))["estimatedCost"]
    assert Decimal(repr(sent)) == Decimal(money)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"action": {"estimatedCost": Decimal("0.12345678901234567890")}}, r"estimated_cost: 0\.123.* more digits"),
        ({"action": {"estimatedCost": Decimal("NaN")}}, "estimated_cost: NaN has more digits"),
        ({"action": {"payload": {"at": [1, datetime.date(2026, 1, 2)]}}}, r"payload\.at\[1\]: a date is not JSON"),
    ],
)
def test_a_value_without_a_json_form_is_named(members: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        body_of(members)


@pytest.mark.parametrize(
    ("key", "options", "message"),
    [
        (None, {}, "api_key: an API key is needed, not NoneType: is COUNTERSIGN_API_KEY set"),
        (" \n", {}, "not an empty text"),
        ("two words", {}, "no blanks"),
        ("key", {"timeout": "5"}, "timeout: a number, not str"),
        ("key", {"retries": None}, "retries: a number, not NoneType"),
        ("key", {"base_url": "127.0.0.1:8080"}, r"add http:// or https:// before it"),
    ],
)
def test_invalid_options_of_a_client(key: Any, options: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        Countersign(key, "agent", **options)

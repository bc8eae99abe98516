"""JSON with exactly one canonical form, or refused."""

from __future__ import annotations

import math
import random
import struct

import pytest

from countersign.verify import JsonRefused, NotCanonical, canonical_bytes, parse_json_strict

REFUSED = {
    "a byte-order mark": b"\xef\xbb\xbf{}",
    "UTF-16": '{"a":1}'.encode("utf-16"),
    "invalid UTF-8": b'"\xff"',
    "an overlong form": b'"\xc0\xaf"',
    "a surrogate in UTF-8": b'"\xed\xa0\x80"',
    "a lone surrogate": rb'"\ud800"',
    "a lone surrogate as a key": rb'{"\udc00":1}',
    "two surrogates the wrong way round": rb'"\udc00\ud800"',
    "a repeated key": b'{"a":1,"a":1}',
    "a key repeated by an escape": rb'{"a":1,"\u0061":2}',
    "a repeated key below": b'[{"x":{"b":1,"b":2}}]',
    "not a number": b"NaN",
    "infinity": b"[Infinity]",
    "minus infinity": b"-Infinity",
    "more than a double": b"1e400",
    "an integer of more than a double": b"1" + b"0" * 400,
    "an integer of many digits": b"9" * 5000,
    "a leading zero": b"01",
    "a plus sign": b"+1",
    "a bare point": b"1.",
    "hexadecimal": b"0x1",
    "single quotes": b"{'a':1}",
    "a trailing comma": b"[1,]",
    "a comment": b"/* */ 1",
    "two values": b"1 2",
    "nothing": b"",
    "a control character": b'"\x01"',
    "another white space": "\u00a01".encode(),
    "digits that are not ASCII": "\u0663".encode(),
    "sixty-five levels": b"[" * 65 + b"]" * 65,
    "very many levels": b"[" * 100_000 + b"]" * 100_000,
}


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED.keys())
def test_is_refused(data: bytes) -> None:
    with pytest.raises(JsonRefused):
        parse_json_strict(data)


NUMBERS = {
    "0": "0",
    "-0": "0",
    "-0.0": "0",
    "7.0": "7",
    "1e2": "100",
    "1E-7": "1e-7",
    "0.000001": "0.000001",
    "1e20": "100000000000000000000",
    "1e21": "1e+21",
    "9007199254740991": "9007199254740991",
    "9007199254740992": "9007199254740992",
    "9007199254740993": "9007199254740992",
    "-9007199254740993": "-9007199254740992",
    "100000000000000000001": "100000000000000000000",
    "333333333.33333329": "333333333.3333333",
    "4.50": "4.5",
    "2e-3": "0.002",
    "5e-324": "5e-324",
    "1.7976931348623157e308": "1.7976931348623157e+308",
    "1e-400": "0",
}


@pytest.mark.parametrize(("text", "canonical"), NUMBERS.items())
def test_numbers_are_doubles_as_ecmascript_writes_them(text: str, canonical: str) -> None:
    assert canonical_bytes(parse_json_strict(text.encode())) == canonical.encode()


def test_any_double_survives_its_canonical_form() -> None:
    source = random.Random(8785)
    for _ in range(2000):
        (number,) = struct.unpack("<d", source.randbytes(8))
        if math.isfinite(number):
            assert float(parse_json_strict(canonical_bytes(number))) == number


def test_sixty_four_levels_are_read() -> None:
    assert parse_json_strict(b"[" * 64 + b"]" * 64) is not None


def test_names_that_mean_something_elsewhere_are_plain_data() -> None:
    assert parse_json_strict(b'{"__proto__":{"__class__":1}}') == {"__proto__": {"__class__": 1}}


def test_keys_are_ordered_by_utf_16() -> None:
    value = parse_json_strict('{"\ufb33":3,"\U0001f600":2,"\u20ac":1}'.encode())
    assert canonical_bytes(value) == '{"\u20ac":1,"\U0001f600":2,"\ufb33":3}'.encode()


@pytest.mark.parametrize("value", ["\ud800", {"\udfff": 1}, math.nan, math.inf, 2**53, object(), {1: 2}])
def test_a_value_without_a_canonical_form_is_refused(value: object) -> None:
    with pytest.raises(NotCanonical):
        canonical_bytes(value)

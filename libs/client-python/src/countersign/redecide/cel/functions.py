"""The functions of ``cel/1``: those of CEL's standard library, and the nine that the dialect adds."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Sequence, Tuple

from ..host import decimals, domain_in, host_in, hours, pattern, under, words
from .arithmetic import whole
from .conversions import CONVERSIONS
from .syntax import Refused, Type
from .values import (
    MAX_ELEMENTS,
    NOT_CONVERTIBLE,
    NUMBER_TOO_LARGE,
    TEXT_TOO_LONG,
    TOO_COSTLY,
    TOO_MANY_ELEMENTS,
    WRONG_TYPE,
    ZONE_UNKNOWN,
    Fault,
    Fuel,
    Timestamp,
    Unknown,
    is_inexact,
    keys_of,
    units,
)


class Surroundings(NamedTuple):
    """``offsets``: minutes east of UTC by time zone, as the check used them."""

    fuel: Fuel
    offsets: Mapping[str, int]


Run = Callable[[Sequence[Any], Surroundings], Any]


class Function(NamedTuple):
    """``params``: the kinds that each argument may have. ``compile`` takes the written arguments by position."""

    params: Tuple[Tuple[str, ...], ...]
    result: Type
    form: str
    compile: Callable[[Mapping[int, Any]], Run]
    literals: Tuple[int, ...] = ()


_BOOL, _INT, _STRING = Type("bool"), Type("int"), Type("string")


def _size(args: Sequence[Any], around: Surroundings) -> Any:
    value = args[0]
    if isinstance(value, str):
        return len(value) if around.fuel.characters(units(value)) else TEXT_TOO_LONG
    if isinstance(value, list):
        return len(value)
    keys = keys_of(value)
    if isinstance(keys, Fault):
        return keys
    return len(keys) if around.fuel.elements(len(keys)) else TOO_COSTLY


def _on_texts(length: Callable[[str, str], int], test: Callable[[str, str], bool]) -> Function:
    def run(args: Sequence[Any], around: Surroundings) -> Any:
        text, part = args
        if not isinstance(text, str) or not isinstance(part, str):
            return WRONG_TYPE
        return test(text, part) if around.fuel.searched(length(text, part)) else TEXT_TOO_LONG

    return Function((("string",), ("string",)), _BOOL, "method", lambda written: run)


def _matches(written: Mapping[int, Any]) -> Run:
    if not isinstance(written[1], str):
        raise Refused("the pattern of matches is no text")
    program = pattern.compile_pattern(written[1])

    def run(args: Sequence[Any], around: Surroundings) -> Any:
        text = args[0]
        if not isinstance(text, str):
            return WRONG_TYPE
        if not around.fuel.characters(units(text)):
            return TEXT_TOO_LONG
        try:
            return program.found_in(text) if isinstance(program, pattern.Program) else Unknown(program)
        except pattern.NotJudged as error:
            return Unknown(str(error))

    return run


def _of_time(read: Callable[[datetime], int]) -> Function:
    def run(args: Sequence[Any], around: Surroundings) -> Any:
        if not isinstance(args[0], Timestamp):
            return WRONG_TYPE
        start = datetime(1970, 1, 1, tzinfo=timezone.utc)
        return read(start + timedelta(milliseconds=args[0].nanos // 10**6))

    return Function((("timestamp",),), _INT, "method", lambda written: run)


def _entries(value: Any) -> List[str]:
    entries = [value] if isinstance(value, str) else value
    if not isinstance(entries, list) or not entries or not all(isinstance(one, str) for one in entries):
        raise Refused("a list of one or more texts is needed")
    return entries


def _of_texts(compile_test: Callable[[List[str]], Callable[[List[str]], Any]]) -> Function:
    """A function on a text, or on all of a list of texts, with a written list."""

    def compiled(written: Mapping[int, Any]) -> Run:
        test = compile_test(_entries(written[1]))

        def run(args: Sequence[Any], around: Surroundings) -> Any:
            texts = [args[0]] if isinstance(args[0], str) else args[0]
            if not isinstance(texts, list):
                return WRONG_TYPE
            if len(texts) > MAX_ELEMENTS:
                return TOO_MANY_ELEMENTS
            if not all(isinstance(text, str) for text in texts):
                return WRONG_TYPE
            if not all(around.fuel.characters(units(text) + 32) for text in texts):
                return TEXT_TOO_LONG
            result = test(texts)
            return Unknown(result) if isinstance(result, str) else result

        return run

    return Function((("string", "list"), ("string", "list")), _BOOL, "function", compiled, (1,))


def _of_text(result: Type, compute: Callable[[str], Any]) -> Function:
    def run(args: Sequence[Any], around: Surroundings) -> Any:
        text = args[0]
        if not isinstance(text, str):
            return WRONG_TYPE
        return compute(text) if around.fuel.characters(units(text)) else TEXT_TOO_LONG

    return Function((("string",),), result, "function", lambda written: run)


def _decimal(args: Sequence[Any], around: Surroundings) -> Any:
    value = args[0]
    if type(value) not in (str, int, float):
        return WRONG_TYPE
    if is_inexact(value):
        return NUMBER_TOO_LARGE
    nanos = decimals.nanos_of(value)
    return NOT_CONVERTIBLE if nanos is None else whole(nanos)


def _hours(written: Mapping[int, Any]) -> Run:
    zone, days, times = written[1], written[2], written[3]
    if not all(isinstance(text, str) for text in (zone, days, times)):
        raise Refused("hours needs a zone, days and times")
    is_inside = hours.compile_hours(days, times)

    def run(args: Sequence[Any], around: Surroundings) -> Any:
        if not isinstance(args[0], Timestamp):
            return WRONG_TYPE
        offset = around.offsets.get(zone)
        return ZONE_UNKNOWN if offset is None else is_inside(args[0].nanos // 10**9 + offset * 60)

    return run


def _lower(text: str) -> Any:
    lowered = words.lower(text)
    return Unknown(words.UNASSIGNED) if lowered is None else lowered


def _words(text: str) -> Any:
    found = words.words(text)
    if found is None:
        return Unknown(words.UNASSIGNED)
    return TOO_MANY_ELEMENTS if len(found) > MAX_ELEMENTS else found


_SQL = "read_only_sql needs a parser of SQL, which this verifier does not have"

FUNCTIONS: Dict[str, Function] = {
    "size": Function((("string", "list", "map"),), _INT, "either", lambda written: _size),
    "startsWith": _on_texts(lambda text, part: units(part), str.startswith),
    "endsWith": _on_texts(lambda text, part: units(part), str.endswith),
    "contains": _on_texts(lambda text, part: units(text) + units(part), lambda text, part: part in text),
    "matches": Function((("string",), ("string",)), _BOOL, "either", _matches, (1,)),
    "getFullYear": _of_time(lambda time: time.year),
    "getMonth": _of_time(lambda time: time.month - 1),
    "getDate": _of_time(lambda time: time.day),
    "getDayOfMonth": _of_time(lambda time: time.day - 1),
    "getDayOfWeek": _of_time(lambda time: time.isoweekday() % 7),
    "getDayOfYear": _of_time(lambda time: time.timetuple().tm_yday - 1),
    "getHours": _of_time(lambda time: time.hour),
    "getMinutes": _of_time(lambda time: time.minute),
    "getSeconds": _of_time(lambda time: time.second),
    "getMilliseconds": _of_time(lambda time: time.microsecond // 1000),
    "under": _of_texts(under.compile_under),
    "host_in": _of_texts(host_in.compile_host_in),
    "domain_in": _of_texts(domain_in.compile_domain_in),
    "read_only_sql": _of_text(_BOOL, lambda text: Unknown(_SQL)),
    "hours": Function((("timestamp",), ("string",), ("string",), ("string",)), _BOOL, "function", _hours, (1, 2, 3)),
    "decimal": Function((("string", "double", "int"),), _INT, "function", lambda written: _decimal),
    "lower": _of_text(_STRING, _lower),
    "words": _of_text(Type("list", _STRING), _words),
}


def _conversion(convert: Callable[[Any], Any]) -> Callable[[Mapping[int, Any]], Run]:
    def run(args: Sequence[Any], around: Surroundings) -> Any:
        return convert(args[0])

    return lambda written: run


for _name, (_kinds, _result, _convert) in CONVERSIONS.items():
    FUNCTIONS[_name] = Function((_kinds,), Type(_result), "function", _conversion(_convert))

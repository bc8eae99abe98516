"""The form of a context, and its agreement with its event (FORMAT.md, Context)."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Mapping, Optional

from .commitment import has_members
from .forms import ascends, is_count, is_identifier, is_name, is_text, is_time, is_uuid
from .opening import Shown

ALWAYS = ("request_time", "effect", "engine", "seen")
_REFUSALS = ("deny", "approve", "modify", "defer")
_MAX_OFFSET = 1440
_MAX_ACTORS = 16
_MAX_ID = 200
_DECIMAL = re.compile(r"[0-9]+(\.[0-9]{1,9})?")
_TRACE = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")


def what_is_wrong_with_context(event: Mapping[str, Any], shown: Shown) -> Optional[str]:
    """The first contradiction of an opened context, as text; ``None`` if there is none.

    Only the context of a check has members of a known form.

    :param event: a leaf event of version 2
    """
    context = shown.value
    if not has_members(context):
        return "a context is an object with 1 to 32 members"
    if not all(map(is_identifier, context)):
        return "the name of a member has not its form"
    return _what_is_wrong_with_check(event, shown) if event["type"] == "action.checked" else None


def _what_is_wrong_with_check(event: Mapping[str, Any], shown: Shown) -> Optional[str]:
    context = shown.value
    for name, value in context.items():
        if name in _FORMS and not _FORMS[name](value):
            return f"{name} has not its form"
    if shown.whole:
        for name in ALWAYS:
            if name not in context:
                return f"{name} is missing"
    if "effect" in context and not _is_effect_of(event, context["effect"]):
        return "effect contradicts the event"
    return None


def _is_effect_of(event: Mapping[str, Any], effect: str) -> bool:
    violation = event["violation_type"]
    if event["allowed"]:
        return effect == ("allow" if violation is None else "observe")
    return effect in _REFUSALS and (effect == "approve") == (violation == "approval_required")


def _has_exactly(value: Any, **forms: Callable[[Any], bool]) -> bool:
    return _has(value, **forms) and value.keys() == forms.keys()


def _has(value: Any, **forms: Callable[[Any], bool]) -> bool:
    return isinstance(value, dict) and all(name in value and form(value[name]) for name, form in forms.items())


def _is_request_time(value: Any) -> bool:
    return _has_exactly(value, seconds=is_count, offsets=lambda offsets: _is_map(offsets, _is_offset))


def _is_map(value: Any, form: Callable[[Any], bool]) -> bool:
    return isinstance(value, dict) and all(map(form, value.values()))


def _is_offset(value: Any) -> bool:
    return type(value) is int and abs(value) <= _MAX_OFFSET


def _is_engine(value: Any) -> bool:
    return _has_exactly(value, engine=is_text, detectors=is_text)


def _is_seen(value: Any) -> bool:
    return _has(
        value,
        order=lambda order: is_count(order, 1),
        frozen=lambda frozen: type(frozen) is bool,
        plan=_is_plan,
        spent=lambda spent: _has(spent, day=is_count, month=is_count),
        rate=_is_count_or_null,
        limits=lambda limits: _is_map(limits, lambda used: _matches(_DECIMAL, used)),
    )


def _is_plan(value: Any) -> bool:
    return _has(
        value, used=is_count, cap=_is_count_or_null, expires=lambda expires: expires is None or is_time(expires)
    )


def _is_count_or_null(value: Any) -> bool:
    return value is None or is_count(value)


def _matches(pattern: re.Pattern[str], value: Any) -> bool:
    return is_text(value) and pattern.fullmatch(value) is not None


def _is_id(value: Any) -> bool:
    return is_text(value) and 1 <= len(value) <= _MAX_ID


def _are_facts(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_name, value)) and ascends(value)


def _are_actors(value: Any) -> bool:
    return isinstance(value, list) and 1 <= len(value) <= _MAX_ACTORS and all(_has(actor, id=_is_id) for actor in value)


_FORMS: Dict[str, Callable[[Any], bool]] = {
    "request_time": _is_request_time,
    "effect": lambda value: is_text(value) and value in ("allow", "observe", *_REFUSALS),
    "engine": _is_engine,
    "seen": _is_seen,
    "facts": _are_facts,
    "principal": _is_id,
    "issuer": _is_id,
    "session": _is_id,
    "trace": lambda value: _matches(_TRACE, value),
    "actors": _are_actors,
    "approval": lambda value: _has(value, id=is_uuid),
    "parent": is_uuid,
}

"""Arguments of tools as JSON, for checks. The tool itself is executed with its original arguments."""

from __future__ import annotations

import dataclasses
from collections import deque
from typing import Any, Dict, FrozenSet

_SEQUENCES = (list, tuple, set, frozenset, deque)


def form_of_given(value: Any) -> Any:
    """JSON form of a model's arguments. ``value`` itself if it contains iterators, bytes that are not text, or cycles.

    Such arguments cannot be checked, unless ``action`` provides another payload: a type name would hide from the check
    what the model wrote. Other objects without a JSON form become ``<TypeName>``.
    """
    try:
        return _json_of(value) if _readable(value, frozenset()) is value else value
    except Exception:  # whatever its own serializers raise
        return value


def form_of_injected(value: Any) -> Any:
    """JSON form of injected arguments: parts without one become ``<TypeName>``."""
    try:
        return _json_of(_readable(value, frozenset()))
    except Exception:  # whatever its own serializers raise
        return _named(value)


def _json_of(value: Any, **options: Any) -> Any:
    from pydantic_core import to_jsonable_python

    return to_jsonable_python(value, fallback=_named, inf_nan_mode="strings", **options)


def _readable(value: Any, above: FrozenSet[int]) -> Any:
    """``value`` itself, or, if it contains iterators, bytes that are not text, or cycles, a copy with their type names.

    :param above: ids of the containers around it
    """
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (bytes, bytearray)):
        return value if _is_text(value) else _named(value)
    if hasattr(type(value), "__next__") or id(value) in above:
        return _named(value)
    within = above | {id(value)}
    if isinstance(value, _SEQUENCES):
        items = [(one, _readable(one, within)) for one in value]
        return value if all(old is new for old, new in items) else [new for _, new in items]
    if isinstance(value, dict):
        members = {key: _readable(one, within) for key, one in value.items()}
        return value if all(members[key] is one for key, one in value.items()) else members
    fields = _fields_of(value)
    unreadable = {name: one for name, one in fields.items() if _readable(one, within) is not one}
    return _without(value, fields, unreadable) if unreadable else value


def _fields_of(value: Any) -> Dict[str, Any]:
    """Fields of a pydantic model or of a dataclass; empty for any other value."""
    from pydantic import BaseModel

    if isinstance(value, BaseModel):
        declared = {name: value.__dict__[name] for name in type(value).model_fields if name in value.__dict__}
        return {**declared, **(value.model_extra or {})}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name, None) for field in dataclasses.fields(value)}
    return {}


def _without(value: Any, fields: Dict[str, Any], unreadable: Dict[str, Any]) -> Any:
    """Serializes a model by its own serializers; unreadable fields become type names, excluded fields stay excluded."""
    kind = type(value)
    decorators = getattr(kind, "__pydantic_decorators__", None)
    if getattr(kind, "__pydantic_root_model__", False) or getattr(decorators, "model_serializers", None):
        return _named(value)
    declared = getattr(kind, "__pydantic_fields__", {})
    excluded = {name for name in unreadable if getattr(declared.get(name), "exclude", None)}
    named = {name: _named(one) for name, one in unreadable.items() if name not in excluded}
    return {**_json_of(value, include=set(fields) - set(unreadable)), **named}


def _is_text(value: Any) -> bool:
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _named(value: Any) -> str:
    return f"<{type(value).__name__}>"

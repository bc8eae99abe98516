"""The members of a series, schemaVersion series-1.0.0, and the form of each."""

from __future__ import annotations

import re
from typing import Any, Callable, List, Mapping, Optional

from .forms import is_base58, is_count, is_hash, is_name, is_text, is_time, is_uuid
from .shape import FRAMEWORKS, wrong_audit

Form = Callable[[Any], bool]

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_CHANGED = ("frameworks", "mapping", "scope", "agents")


def _is_positive(value: Any) -> bool:
    return is_count(value, 1)


def _or_null(form: Form) -> Form:
    return lambda value: value is None or form(value)


def _exactly(forms: Mapping[str, Form]) -> Form:
    return lambda value: isinstance(value, dict) and value.keys() == forms.keys() and _has(value, forms)


def _object(forms: Mapping[str, Form]) -> Form:
    return lambda value: isinstance(value, dict) and value.keys() >= forms.keys() and _has(value, forms)


def _has(value: Mapping[str, Any], forms: Mapping[str, Form]) -> bool:
    return all(form(value[name]) for name, form in forms.items())


def _list(form: Form) -> Form:
    return lambda value: isinstance(value, list) and all(form(item) for item in value)


def _is_range(value: Any) -> bool:
    return _object({"from": is_time, "to": is_time})(value) and value["from"] < value["to"]


def _is_run(value: Mapping[str, Any]) -> bool:
    first, last = value["firstSequence"], value["lastSequence"]
    return first is last if first is None or last is None else bool(first <= last)


_RUN = {"firstSequence": _or_null(_is_positive), "lastSequence": _or_null(_is_positive)}
_AGENT: Mapping[str, Form] = {
    "id": is_uuid,
    "name": is_text,
    **_RUN,
    "windows": is_count,
    "windowsFrom": _or_null(is_time),
    "windowsTo": _or_null(is_time),
}
_COUNTS: Mapping[str, Form] = {
    **dict.fromkeys(
        (
            "events",
            "outside",
            "allowed",
            "denied",
            "frozen",
            "capped",
            "satisfied",
            "prevented",
            "gap",
            "anchored",
            "unanchored",
        ),
        is_count,
    ),
    "byViolation": lambda value: isinstance(value, dict) and all(map(is_count, value.values())),
}
_MOMENT = _exactly({"sequence": _is_positive, "occurredAt": is_time})
_DENIALS = _exactly(
    {
        "agentId": is_uuid,
        "violationType": is_name,
        "rule": _or_null(is_text),
        "day": lambda value: is_text(value) and _DAY.fullmatch(value) is not None,
        "count": _is_positive,
        "first": _MOMENT,
        "last": _MOMENT,
    }
)
_ENTRY = _exactly(
    {
        "reportId": is_uuid,
        "sha256": is_hash,
        "issuedAt": is_time,
        "range": _is_range,
        "frameworks": _list(lambda value: is_text(value) and value in FRAMEWORKS),
        "mapping": _exactly({"version": is_text, "sha256": is_hash}),
        "scopeSha256": is_hash,
        "counts": _exactly(_COUNTS),
        "agents": _list(lambda value: _exactly(_AGENT)(value) and _is_run(value)),
        "denials": _list(_DENIALS),
    }
)


def _is_packages(value: Any) -> bool:
    if not _list(_ENTRY)(value) or not value:
        return False
    return all(len({entry[name] for entry in value}) == len(value) for name in ("reportId", "sha256"))


def _is_timestamp(value: Any) -> bool:
    forms: Mapping[str, Form] = {
        "issued_at": is_time,
        "anchor": is_name,
        "anchor_tx_signature": _or_null(is_base58),
        "anchor_block_height": _or_null(is_count),
        "message": is_text,
    }
    if not _object(forms)(value):
        return False
    named: List[bool] = [value[name] is not None for name in ("anchor_tx_signature", "anchor_block_height")]
    return not any(named) if value["anchor"] == "pending" else all(named)


_SERIES: Mapping[str, Form] = {
    "kind": lambda value: value == "series",
    "seriesId": is_uuid,
    "generator": _object({"name": is_text, "version": is_text}),
    "range": _is_range,
    "packages": _is_packages,
    "agents": _list(
        lambda value: _object({"id": is_uuid, "name": is_text, **_RUN, "count": is_count})(value) and _is_run(value)
    ),
    "totals": _object({"packages": is_count, **_COUNTS}),
    "changes": _list(_object({"reportId": is_uuid, "member": lambda value: is_text(value) and value in _CHANGED})),
    "audit": lambda value: isinstance(value, dict) and wrong_audit(value) is None,
    "timestamp": _is_timestamp,
}


def misshapen_series(series: Mapping[str, Any]) -> Optional[str]:
    """The first member that is missing or has not its form."""
    for name, form in _SERIES.items():
        if name not in series or not form(series[name]):
            return name
    return "signedPages" if "signedPages" in series and series["signedPages"] is not True else None

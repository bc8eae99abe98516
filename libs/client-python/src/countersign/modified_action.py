"""The change of an action that a denial with the decision ``modify`` asks for: RFC 6902, of three operations."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .action import Action, members_of, named_members

_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


def modified_action(action: Action, patch: Sequence[Mapping[str, Any]]) -> Dict[str, Any]:
    """The action after the change; ``action`` stays as it is. It is allowed only once it is checked.

    :param patch: of the result
    :raises ValueError: the patch does not fit the action
    """
    value: Any = members_of(action, {})
    for operation in patch:
        value = _changed(value, _names(operation["path"]), operation)
    return named_members(value)


def patch_of(value: Any) -> Optional[Tuple[Mapping[str, Any], ...]]:
    """A patch in an answer; ``None`` for any other value."""
    return tuple(value) if isinstance(value, list) and all(map(_is_operation, value)) else None


def _is_operation(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("path"), str) or not value["path"].startswith("/"):
        return False
    return value.get("op") == "remove" or (value.get("op") in ("add", "replace") and "value" in value)


def _names(path: str) -> List[str]:
    return [name.replace("~1", "/").replace("~0", "~") for name in path[1:].split("/")]


def _changed(value: Any, names: List[str], operation: Mapping[str, Any]) -> Any:
    name, rest = names[0], names[1:]
    if isinstance(value, (list, tuple)):
        return _changed_list(list(value), name, rest, operation)
    operator = operation["op"]
    if not isinstance(value, Mapping) or (name not in value and (rest or operator != "add")):
        raise _unfit(operation)
    changed = dict(value)
    if rest:
        changed[name] = _changed(value[name], rest, operation)
    elif operator == "remove":
        del changed[name]
    else:
        changed[name] = operation["value"]
    return changed


def _changed_list(items: List[Any], name: str, rest: List[str], operation: Mapping[str, Any]) -> List[Any]:
    adds = operation["op"] == "add" and not rest
    at = len(items) if adds and name == "-" else int(name) if _INDEX.fullmatch(name) else -1
    if at < 0 or at > len(items) or (at == len(items) and not adds):
        raise _unfit(operation)
    if rest:
        items[at] = _changed(items[at], rest, operation)
    elif adds:
        items.insert(at, operation["value"])
    elif operation["op"] == "remove":
        del items[at]
    else:
        items[at] = operation["value"]
    return items


def _unfit(operation: Mapping[str, Any]) -> ValueError:
    where = f"{operation['op']} {operation['path']}"
    return ValueError(f"the action has no member for {where}: apply the patch to the action that was checked")

"""Members of an action that rules read, and other names that were meant as them (``libs/policy-engine``)."""

from __future__ import annotations

import re
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from .cel.values import ABSENT, PartialObject, Unknown, member_of

_CURRENCY = "usd|dollars?|cents?|eur|euros?|gbp|chf|jpy|cny|inr|cad|aud"
_AMOUNT = "price|fee|fees|amount|total|charge|spend|expense"
_COST = re.compile(
    "(?:estimated|estimate|est|expected|projected|approx|approximate|max|total|grand|net|gross|overall|order|payment|"
    "transaction|transfer|purchase|refund|invoice|booking|request|call|api|action|tool|us)*"
    f"(?:costs?|{_AMOUNT}|{_CURRENCY})(?:in|us|{_CURRENCY}|micros|estimate|amount|price|total|value)*"
)
_MONEY = re.compile(f"costs?|{_CURRENCY}")
_CURRENCY_MEMBER = ("currency", "currencycode", "isocurrency")
_ADDRESS = re.compile(
    "(?:target|address|host|hostname|domain|server|destination|endpoint|url|uri|href|link|baseurl|baseuri)e?s?"
)
_READ = frozenset(("type", "url", "payload", "metadata", "dataScope", "estimatedCost", "tool_name", "toolName"))
_LONGEST = 40
_LONGEST_KIND = 24
_METHOD = "call|request|fetch|get|head|post|put|patch|delete"
_HTTP_REQUEST = re.compile(f"https?(?:{_METHOD})")
_CALL = re.compile(f"(?:(?:https?|api|rest|web|network|url)(?:{_METHOD})|fetch|curl|wget|webhook)")
_TOOL_TYPE = re.compile(
    "(?:call|use|run|invoke)?(?:(?:mcp)?(?:tool|function)s?|mcp)"
    "(?:use|calls?|calling|invoke|invocation|execute|execution|run)?"
)
KINDS = ("http_call", "llm_response", "data_access", "tool_use")


class _Names(NamedTuple):
    right: str
    same: Tuple[str, ...]
    near: re.Pattern[str]


MEMBERS: Dict[str, _Names] = {
    "tool": _Names("tool_name", ("toolname",), re.compile("toolname|tool|toolid|function|functionname")),
    "url": _Names(
        "url",
        ("url", "uri", "href"),
        re.compile(
            "(?:request|target|api|full|http|endpoint|destination|remote|service)*(?:url|uri)|href|link|endpoint"
        ),
    ),
    "data_scope": _Names("dataScope", ("datascope",), re.compile("(?:data)?scopes?")),
    "payload": _Names("payload", ("payload",), re.compile("payloads?|output|content")),
    "cost": _Names(
        "estimatedCost",
        tuple(
            "estimatedcost estimatedcosts estimatedcostusd estimatedcostinusd cost costs costusd costinusd totalcost "
            "totalcosts totalcostusd totalcostinusd".split()
        ),
        _COST,
    ),
}
_OPEN = "it depends on members of the action that this verifier does not compare"


class NotDecided(Exception):
    """A verdict that cannot be computed: ``unknown`` says why."""

    def __init__(self, unknown: Unknown) -> None:
        super().__init__(unknown.reason)
        self.unknown = unknown


def known(value: Any) -> Any:
    """The value. :raises NotDecided: where it is not known"""
    if isinstance(value, Unknown):
        raise NotDecided(value)
    return value


def not_decided(reason: str) -> NotDecided:
    return NotDecided(Unknown(reason))


class Subject:
    """An action as the lists of a profile read it. Members that are withheld raise :class:`NotDecided` when read."""

    def __init__(self, action: Any) -> None:
        """:param action: with its payload; a value that is no object names nothing"""
        self._action = action if isinstance(action, (dict, PartialObject, Unknown)) else {}

    def given(self, name: str) -> Any:
        """A member as received; ``ABSENT`` for none."""
        return known(member_of(self._action, name))

    def text(self, name: str) -> Optional[str]:
        """``None`` for no member; a value that is no text is a name that no list contains."""
        value = self.given(name)
        return value if isinstance(value, str) else None if value is ABSENT else ""

    @property
    def type(self) -> str:
        return self.text("type") or ""

    @property
    def kind(self) -> str:
        return self.type if self.type in KINDS else "other"

    def values(self, member: str) -> List[Any]:
        """The values that rules of ``member`` read; empty where the action does not name one."""
        if member == "tool":
            return [one for one in (self.text("tool_name"), self.text("toolName")) if one is not None]
        if member == "data_scope":
            scope = self.text("dataScope")
            return [] if scope is None else [scope]
        value = self.given(MEMBERS[member].right)
        return [] if value is ABSENT else [value]

    def names(self, member: str) -> bool:
        return bool(self.values(member))

    def fills(self, member: str) -> bool:
        return not all(is_blank(value) for value in self.values(member))

    def name_given(self, member: str) -> str:
        return "toolName" if member == "tool" and self.text("tool_name") is None else MEMBERS[member].right

    def unread(self) -> Dict[str, Any]:
        """Members that no rule reads. :raises NotDecided: where some are withheld"""
        if isinstance(self._action, (PartialObject, Unknown)):
            raise NotDecided(Unknown("members of the action are withheld", withheld=True))
        return {name: value for name, value in self._action.items() if name not in _READ}

    def is_kind(self, kind: str) -> bool:
        """True if the type is this kind in any spelling."""
        if self.kind != "other":
            return self.kind == kind
        return len(self.type) <= _LONGEST_KIND and fold(self.type) == fold(kind)

    def is_call(self) -> bool:
        return self._has_type(_CALL)

    def is_tool_type(self) -> bool:
        return self._has_type(_TOOL_TYPE)

    def is_http_request(self) -> bool:
        if self.is_kind("http_call"):
            return True
        return self.kind == "other" and self._has_type(_HTTP_REQUEST) and not self.fills("tool")

    def is_tool_call(self) -> bool:
        """True if its payload is the arguments of a call."""
        if self.kind == "tool_use" or (self.kind == "other" and self.is_tool_type()):
            return True
        if self.names("url"):
            return False
        if self.names("tool") or self.misnamed("tool") is not None:
            return True
        return self.is_call() and not self.is_http_request()

    def _has_type(self, pattern: re.Pattern[str]) -> bool:
        return len(self.type) <= _LONGEST_KIND and pattern.fullmatch(fold(self.type)) is not None

    def misnamed(self, member: str) -> Optional[str]:
        """The name of a member that was meant as ``member``, which the action lacks or leaves blank."""
        if self.fills(member):
            return None
        unread = self.unread()
        for name, value in unread.items():
            if MEMBERS[member].near.fullmatch(_folded(name)) and not is_blank(value):
                return name
        if member == "url" and self.is_call():
            return next((name for name in unread if _ADDRESS.fullmatch(_folded(name))), None)
        return self._cost_within() if member == "cost" else None

    def _cost_within(self) -> Optional[str]:
        is_output = self.is_kind("llm_response") or self.is_kind("data_access")
        for member in ("metadata",) if is_output else ("payload", "metadata"):
            found = _money_in(self.given(member))
            if found is not None:
                return f"{member}.{found}"
        return None

    def contradicted(self, member: str) -> Optional[str]:
        """The name of a member that can mean nothing else than ``member``, and holds another value."""
        values = self.values(member)
        if not values:
            return None
        for name, value in self.unread().items():
            if _folded(name) not in MEMBERS[member].same or value is None:
                continue
            if any(same_json(given, value) for given in values):
                continue
            if isinstance(value, str) and member in ("cost", "url"):
                raise not_decided(_OPEN)
            return name
        return None


def fold(name: str) -> str:
    """Without case, ``_``, ``-``, ``.`` and blanks."""
    return re.sub("[_. -]", "", name.lower())


def _folded(name: str) -> str:
    return fold(name) if len(name) <= _LONGEST else ""


def is_blank(value: Any) -> bool:
    """Missing, ``None``, a text without visible characters, or an object or list without members."""
    if value is None or value is ABSENT:
        return True
    if isinstance(value, PartialObject):
        return False
    if isinstance(value, (dict, list)):
        return not value
    if not isinstance(value, str) or any(" " < one < "\x7f" for one in value):
        return False
    if value.strip("\t\n\v\f\r "):
        raise not_decided(_OPEN)
    return True


def holds_address(name: str) -> bool:
    """True if a member of this name holds the address of a call."""
    folded = _folded(name)
    return MEMBERS["url"].near.fullmatch(folded) is not None or _ADDRESS.fullmatch(folded) is not None


def _money_in(value: Any) -> Optional[str]:
    """The first member of an object that states a cost: by a word for costs, or an amount next to a currency."""
    if isinstance(value, PartialObject):
        raise NotDecided(Unknown("members of the action are withheld", withheld=True))
    if not isinstance(value, dict):
        return None
    names = {name: fold(name) for name, held in value.items() if len(name) <= _LONGEST and held is not None}
    costs = [name for name, folded in names.items() if _COST.fullmatch(folded)]
    in_currency = any(folded in _CURRENCY_MEMBER for folded in names.values())
    return next((name for name in costs if in_currency or _MONEY.search(names[name])), None)


def same_json(one: Any, other: Any) -> bool:
    """Equality of values of JSON, whose numbers are doubles."""
    if isinstance(one, PartialObject) or isinstance(other, PartialObject):
        raise NotDecided(Unknown("members of the action are withheld", withheld=True))
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same_json(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    return bool(one == other)

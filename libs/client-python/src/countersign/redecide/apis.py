"""``blocked_apis`` and ``allowed_apis``, of addresses that all clients read alike.

Where an address, an entry or an argument could be read in several ways, the verdict is not decided here.
"""

from __future__ import annotations

import re
from typing import Any, Callable, List, Mapping, NamedTuple, Optional, Union

from .cel.values import ABSENT
from .host.host_in import UNPLAIN, Address, Entry, read_address, read_entry
from .members import Subject, holds_address, not_decided
from .rules import Finding

_NAME = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9a-fA-F]*")
# Names and texts in which no client finds an address: no sign of a scheme, a path or a text of JSON; or a text whose
# first character no scheme of the web has, and no wrapping of an address.
_PLAIN_NAME = re.compile(r"[A-Za-z0-9 _,;!?()'+*=-]*")
_NO_ADDRESS = re.compile(r"[A-Za-z0-9 _,;!?()'+*=-]*|(?![hwfuHWFU])[A-Za-z0-9].*", re.DOTALL)
_MAX_DEPTH = 64

Doubt = Callable[[str, str], Optional[Finding]]
Verdict = Union[str, Finding, None]


class _Read(NamedTuple):
    """``host``: the entry as it matches addresses; ``names_url``: it can match one."""

    text: str
    name: bool
    host: Optional[Entry]
    names_url: bool


def judge_apis(profile: Mapping[str, Any], subject: Subject, doubt: Doubt) -> Verdict:
    """The rule that denies, a finding by ``doubt``, or ``None``.

    :raises NotDecided: where the verdict depends on an address that is not plain
    """
    blocked, allowed = profile.get("blocked_apis") or [], profile.get("allowed_apis") or []
    if not blocked and not allowed:
        return None
    _refuse_addresses_in_arguments(subject)
    url = subject.given("url")
    address = None
    if url is not ABSENT:
        address = read_address(url) if isinstance(url, str) else None
        if address is None:
            raise not_decided(UNPLAIN)
    by_blocked = _blocked(list(map(_read, blocked)), address, subject, doubt) if blocked else None
    if by_blocked is not None or not allowed:
        return by_blocked
    return _allowed(list(map(_read, allowed)), address, subject, doubt)


def _blocked(entries: List[_Read], address: Optional[Address], subject: Subject, doubt: Doubt) -> Verdict:
    if address is not None:
        found = _blocking(entries, address)
        if found is not None:
            return f"blocked_apis:{found}"
    for name in subject.values("tool"):
        entry = _name_entry(entries, name)
        if entry is not None:
            return f"blocked_apis:{entry}"
    if any(entry.names_url for entry in entries):
        missing = _missing("blocked_apis", subject, doubt)
        if missing is not None:
            return missing
    return doubt("blocked_apis", "tool") if any(entry.name for entry in entries) else None


def _allowed(entries: List[_Read], address: Optional[Address], subject: Subject, doubt: Doubt) -> Verdict:
    if address is not None and not any(_is_allowed(entry, address) for entry in entries):
        return "allowed_apis:not listed"
    if any(_name_entry(entries, name) is None for name in subject.values("tool")):
        return "allowed_apis:not listed"
    missing = _missing("allowed_apis", subject, doubt)
    if missing is None:
        missing = doubt("allowed_apis", "tool")
    if missing is not None or address is not None or subject.names("tool"):
        return missing
    return "allowed_apis:no tool_name given" if subject.is_tool_type() else None


def _missing(field: str, subject: Subject, doubt: Doubt) -> Verdict:
    doubtful = doubt(field, "url")
    if doubtful is not None or subject.names("url"):
        return doubtful
    return f"{field}:no url given" if subject.is_http_request() else None


def _name_entry(entries: List[_Read], name: str) -> Optional[str]:
    names = [entry.text for entry in entries if entry.name]
    if name in names and not name.endswith("*"):
        return name
    patterns = [entry for entry in names if entry.endswith("*") and name.startswith(entry[:-1])]
    return min(patterns, key=len) if patterns else None


def _is_allowed(entry: _Read, address: Address) -> bool:
    return entry.text == "*" or (entry.host is not None and entry.host.holds(address))


def _blocking(entries: List[_Read], address: Address) -> Optional[str]:
    """On a block list neither the scheme nor a port that is not written is a way round."""
    found = []
    for entry in entries:
        if entry.text == "*":
            return "*"
        host = entry.host
        if host is None:
            continue
        port = host.port if "://" not in entry.text or re.search(r":\d+(?:/|$)", entry.text) else None
        if host._replace(scheme=None, port=port).holds(address):
            found.append(entry.text)
    if len(found) > 1:
        raise not_decided("several entries block the address, and which is named is not judged by this verifier")
    return found[0] if found else None


def _read(text: str) -> _Read:
    if "*" in text and not text.startswith("*."):
        if "/" in text:
            raise not_decided(f"the entry {text} is not judged by this verifier")
        return _Read(text, True, None, text == "*")
    if "://" in text or text.startswith("*."):
        entry = read_entry(text)
        if entry is None:
            raise not_decided(f"the entry {text} is not judged by this verifier")
        return _Read(text, False, entry, True)
    if not _NAME.fullmatch(text.rsplit(":", 1)[0] if re.search(r":\d{1,5}$", text) else text):
        raise not_decided(f"the entry {text} is not judged by this verifier")
    if _NUMBER.fullmatch(re.sub(r":\d+$", "", text).rsplit(".", 1)[-1]) or "xn--" in text.lower():
        raise not_decided(f"the entry {text} is not judged by this verifier")
    # A name with an underscore is a host too, but not one of a plain address.
    return _Read(text, True, read_entry(text), True)


def _refuse_addresses_in_arguments(subject: Subject) -> None:
    """:raises NotDecided: where the arguments of a call may contain an address"""
    payload, unread = subject.given("payload"), subject.unread()
    if (payload is ABSENT and not unread) or not subject.is_tool_call():
        return
    waiting: List[Any] = [] if payload is ABSENT else [(payload, 0)]
    waiting.append((unread, 0))
    while waiting:
        value, depth = waiting.pop()
        if depth > _MAX_DEPTH:
            raise not_decided(UNPLAIN)
        if isinstance(value, dict):
            for name, held in value.items():
                if holds_address(name) or not _PLAIN_NAME.fullmatch(name):
                    raise not_decided("addresses among the arguments of a tool are not judged by this verifier")
                waiting.append((held, depth + 1))
        elif isinstance(value, list):
            waiting += [(held, depth + 1) for held in value]
        elif isinstance(value, str):
            if not _NO_ADDRESS.fullmatch(value):
                raise not_decided("addresses among the arguments of a tool are not judged by this verifier")
        elif value is not None and not isinstance(value, (bool, float)):
            raise not_decided("addresses among the arguments of a tool are not judged by this verifier")

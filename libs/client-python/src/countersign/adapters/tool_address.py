"""The address in the arguments of a tool call: by the cases of ``test-e2e/client-cases/tool-calls.json``."""

from __future__ import annotations

import re
from typing import Any, List, Mapping, Optional, Set, Tuple

_GAP = "[\\t\\n\\r]*"
#: An address as the URL standard finds its scheme: after blanks and controls, with line breaks and tabs anywhere in it.
_ADDRESS = re.compile(
    "[\\0- ]*(?:" + "|".join(_GAP.join(f"{scheme}:") for scheme in ("https", "http", "wss", "ws", "ftp")) + ")",
    re.IGNORECASE | re.ASCII,
)
#: The service reads no longer one.
_LONGEST = 65_536
_SEVERAL = " addresses in one call"


class NotText(ValueError):
    """A member ``url`` is no text, so that the call cannot be judged; the message is for the model."""


def address_of(arguments: Any) -> Optional[str]:
    """The member ``url`` of the action; ``None`` where the arguments name no address.

    That is a text under the name ``url``, in any letter case and at any depth, and any other text or name that begins
    with ``http:``, ``https:``, ``ws:``, ``wss:`` or ``ftp:``. Of several addresses it is words, which no rule about
    APIs can read: where the profile has such rules the call is denied, elsewhere it is not hindered.

    :raises NotText: a member ``url`` is neither a text nor ``None``
    """
    found: Set[str] = set()
    seen: Set[int] = set()
    left: List[Tuple[str, Any]] = [("", arguments)]
    while left:
        path, value = left.pop()
        if isinstance(value, str):
            if _ADDRESS.match(value):
                found.add(str(value))
        elif isinstance(value, (Mapping, list, tuple)):
            if id(value) in seen:
                continue
            seen.add(id(value))
            if not isinstance(value, Mapping):
                left += [(f"{path}.{place}" if path else str(place), one) for place, one in enumerate(value)]
                continue
            for name, member in value.items():
                place = f"{path}.{name}" if path else str(name)
                if _ADDRESS.match(str(name)):
                    found.add(str(name))
                if str(name).lower() != "url" or member is None:
                    left.append((place, member))
                elif not isinstance(member, str):
                    raise NotText(_not_text(place, member))
                elif member:
                    found.add(str(member))
    if len(found) > 1:
        return f"{len(found)}{_SEVERAL}"
    url = next(iter(found), None)
    # As the service counts: in units of UTF-16.
    if url is not None and len(url.encode("utf-16-le", "surrogatepass")) > 2 * _LONGEST:
        return f"an address of more than {_LONGEST} characters"
    return url


def several_addresses_hint(url: Any) -> str:
    """What a model does about a call that was denied for its several addresses; empty for any other."""
    if isinstance(url, str) and url.endswith(_SEVERAL):
        return f" It names {url}: make a call for each."
    return ""


def _not_text(place: str, value: Any) -> str:
    kind = "an object"
    if isinstance(value, (list, tuple)):
        kind = "a list"
    elif isinstance(value, bool):
        kind = "a boolean"
    elif isinstance(value, (int, float)):
        kind = "a number"
    shown = f"…{place[-100:]}" if len(place) > 100 else place
    return f"the argument {shown} is {kind}, and an address is judged as text: give one address as text"

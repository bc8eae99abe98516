"""``host_in(addresses, entries)``, and entries as ``allowed_apis`` has them, of addresses that all clients read alike.

Which host a client contacts for a malformed or encoded address differs from client to client. Such addresses are not
judged here.
"""

from __future__ import annotations

import re
from typing import Callable, List, NamedTuple, Optional, Tuple, Union

from ..cel.syntax import Refused

UNPLAIN = "an address is not written as all clients read it"
_HOST = r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)*[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_PATH = r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*/?"
_URL = re.compile(rf"(https?)://({_HOST})(?::([0-9]{{1,5}}))?({_PATH})(?:\?[A-Za-z0-9._~=&-]*)?")
_HOST_ENTRY = re.compile(rf"({_HOST})(?::([0-9]{{1,5}}))?")


class Address(NamedTuple):
    """``path`` begins with ``/``. ``port`` is that of the scheme where none is written."""

    scheme: str
    host: str
    port: str
    path: str


class Entry(NamedTuple):
    """``None``: any scheme, any port. ``below``: all hosts below it, and not it."""

    host: str
    port: Optional[str]
    below: bool = False
    scheme: Optional[str] = None
    path: Optional[str] = None

    def holds(self, address: Address) -> bool:
        host, own = address.host, self.host
        at_host = host.endswith(f".{own}") if self.below else host == own
        return (
            at_host
            and self.port in (None, address.port)
            and self.scheme in (None, address.scheme)
            and (self.path is None or _is_below(address.path, self.path))
        )


def _is_below(path: str, folder: str) -> bool:
    base = folder.rstrip("/")
    return path.rstrip("/") == base or path.startswith(f"{base}/")


def read_address(text: str) -> Optional[Address]:
    """A plain address; ``None`` for any other text."""
    found = _URL.fullmatch(text)
    if found is None:
        return None
    scheme, host, port, path = found.groups()
    name = _plain_host(host)
    if name is None or (port is not None and (int(port) > 65_535 or port != str(int(port)) or port == "0")):
        return None
    return Address(scheme, name, port or {"http": "80", "https": "443"}[scheme], path or "/")


def read_entry(text: str) -> Optional[Entry]:
    """An entry for hosts or a prefix of URLs; ``None`` for one that is not judged here."""
    if "://" in text:
        found = _URL.fullmatch(text)
        address = read_address(text)
        if found is None or address is None or "?" in text:
            return None
        # The port of the scheme, where none is written, is that of an address of this scheme.
        return Entry(address.host, address.port, scheme=address.scheme, path=address.path)
    below = text.startswith("*.")
    written = _HOST_ENTRY.fullmatch(text[2:] if below else text)
    host = None if written is None else _plain_host(written.group(1))
    if written is None or host is None or (written.group(2) is not None and int(written.group(2)) > 65_535):
        return None
    return Entry(host, None if written.group(2) is None else str(int(written.group(2))), below)


def _plain_host(text: str) -> Optional[str]:
    """In lower case; ``None`` for a host that may be an IP address, or is in the encoded form of IDNA."""
    host = text.lower()
    labels = host.split(".")
    if any(label.startswith("xn--") for label in labels) or re.fullmatch(r"0x[0-9a-f]*", labels[-1]):
        return None
    return host


def compile_host_in(texts: List[str]) -> Callable[[List[str]], Union[bool, str]]:
    """A test of all of a list of addresses, or a text that says why it cannot be computed here.

    :raises Refused: for an empty entry
    """
    if any(text == "" for text in texts):
        raise Refused("host_in names an empty entry")
    read: List[Tuple[str, Optional[Entry]]] = [(text, read_entry(text)) for text in texts]
    entries = [entry for _, entry in read if entry is not None]
    unread = len(entries) < len(read)

    def test(addresses: List[str]) -> Union[bool, str]:
        unknown = False
        for text in addresses:
            address = read_address(text)
            if address is None:
                unknown = True
            elif not any(entry.holds(address) for entry in entries):
                if not unread:
                    return False
                unknown = True
        return UNPLAIN if unknown else bool(addresses)

    return test

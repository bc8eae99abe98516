"""``domain_in(addresses, domains)``: all e-mail addresses of a text are inside these domains."""

from __future__ import annotations

import re
import unicodedata
from typing import Callable, List, Optional, Union

from ..cel.syntax import Refused
from ..cel.values import units

_MAX_ADDRESSES = 256
_MAX_LOCAL = 64
_MAX_DOMAIN = 253
_ASCII_DOMAIN = re.compile(r"(?!-)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.?")
_LOCAL_SIGNS = frozenset("#$&'*+/=?^_`{|}~-")
_DISPLAY_NAME = re.compile(r'"[^"\\]*"|[^"@<>()\[\]\\,;:]*')
_CONTROL = re.compile(r"[\0-\x1f\x7f]")
# The white space that ECMA-262 trims.
_BLANKS = "\t\n\v\f\r \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000\ufeff"
_IDNA = "a domain beyond ASCII, or in its encoded form, needs the tables of IDNA"


class _NotJudged(Exception):
    """A domain needs the tables of IDNA."""


def compile_domain_in(entries: List[str]) -> Callable[[List[str]], Union[bool, str]]:
    """A test of all of a list of texts, or a text that says why it cannot be computed here.

    :param entries: ``acme.com`` is that domain, ``*.acme.com`` those below it
    :raises Refused: for an entry that is no domain
    """
    exact, below = set(), []
    try:
        for entry in entries:
            is_below = entry.startswith("*.")
            domain = _normal_domain(entry[2:] if is_below else entry)
            if domain is None:
                raise Refused("domain_in names a domain that is none")
            if is_below:
                below.append(f".{domain}")
            else:
                exact.add(domain)
    except _NotJudged:
        return lambda texts: _IDNA

    def is_inside(domain: str) -> bool:
        return domain in exact or any(domain.endswith(end) for end in below)

    def test(texts: List[str]) -> Union[bool, str]:
        count = 0
        try:
            for text in texts:
                domains = _domains_in(text)
                if domains is None or not all(map(is_inside, domains)):
                    return False
                count += len(domains)
                if count > _MAX_ADDRESSES:
                    return False
        except _NotJudged:
            return _IDNA
        return count > 0

    return test


def _normal_domain(text: str) -> Optional[str]:
    """A domain in lower case without a dot at its end; ``None`` for any other text, and for an IP address."""
    if not text or units(text) > _MAX_DOMAIN:
        return None
    if not text.isascii():
        raise _NotJudged
    if not _ASCII_DOMAIN.fullmatch(text):
        return None
    name = text.lower()
    name = name[:-1] if name.endswith(".") else name
    labels = name.split(".")
    if any(label.startswith("xn--") for label in labels):
        raise _NotJudged
    # A host whose last label is a number is an IP address (WHATWG URL, "ends in a number").
    return None if re.fullmatch(r"[0-9]+|0x[0-9a-f]*", labels[-1]) else name


def _domains_in(text: str) -> Optional[List[str]]:
    """The domains of all addresses in a text; ``None`` where a part is no address that all programs read alike."""
    if _CONTROL.search(text):
        return None
    parts = _parts_of(text)
    if len(parts) > _MAX_ADDRESSES:
        return None
    domains: List[str] = []
    for part in parts:
        domain = _domain_of(part.strip(_BLANKS))
        if domain is None:
            return None
        domains.append(domain)
    return domains


def _parts_of(text: str) -> List[str]:
    """Separated by commas and semicolons outside of quotes."""
    parts, start, quoted = [], 0, False
    for at, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        elif not quoted and character in ",;":
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def _domain_of(part: str) -> Optional[str]:
    start = part.rfind("<")
    if start < 0:
        return _domain_of_address(part)
    if not part.endswith(">") or not _DISPLAY_NAME.fullmatch(part[:start].strip(_BLANKS)):
        return None
    return _domain_of_address(part[start + 1 : -1])


def _domain_of_address(address: str) -> Optional[str]:
    local, at, domain = address.partition("@")
    if not at or "@" in domain or units(local) > _MAX_LOCAL or not _is_local(local):
        return None
    return _normal_domain(domain)


def _is_local(text: str) -> bool:
    """Dots separate parts of letters, digits and signs that no server reads as a route."""
    return all(part and all(map(_is_local_character, part)) for part in text.split("."))


def _is_local_character(one: str) -> bool:
    if one.isascii():
        return one.isalnum() or one in _LOCAL_SIGNS
    category = unicodedata.category(one)
    if category == "Cn":
        raise _NotJudged
    return category[0] in "LN"

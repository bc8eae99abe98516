"""``lower`` and ``words``."""

from __future__ import annotations

import re
import unicodedata
from typing import List, Optional

UNASSIGNED = "a text has characters that this version of Unicode does not know"
_WORD = "LMN"


def lower(text: str) -> Optional[str]:
    """A text in lower case, code point by code point; ``None`` where a character is not known to this Python."""
    if text.isascii():
        return text.lower()
    if any(unicodedata.category(one) == "Cn" for one in text):
        return None
    # The one letter whose lower case has several characters, and the one that depends on those around it.
    return text.replace("\u0130", "i").replace("\u03a3", "\u03c3").lower()


def words(text: str) -> Optional[List[str]]:
    """Runs of letters, marks, digits and underscores, in lower case; ``None`` as by :func:`lower`."""
    lowered = lower(text)
    if lowered is None:
        return None
    if lowered.isascii():
        return re.findall(r"[A-Za-z0-9_]+", lowered)
    spaced = "".join(one if one == "_" or unicodedata.category(one)[0] in _WORD else " " for one in lowered)
    return [word for word in spaced.split(" ") if word]

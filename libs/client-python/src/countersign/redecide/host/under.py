"""``under(path, folders)``: a path is one of the folders, or below one."""

from __future__ import annotations

import re
from typing import Callable, List, Optional
from urllib.parse import unquote_to_bytes

from ..cel.syntax import Refused
from ..cel.values import units

_MAX_PATH = 4096
_BARE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


def compile_under(folders: List[str]) -> Callable[[List[str]], bool]:
    """A test of all of a list of paths, which is not empty. :raises Refused: for a folder that is no absolute path"""
    known: List[List[str]] = []
    for folder in folders:
        segments = _segments(folder)
        if segments is None:
            raise Refused("under names a folder that is no absolute path")
        known.append(segments)

    def is_under(path: str) -> bool:
        segments = _segments(path)
        return segments is not None and any(segments[: len(folder)] == folder for folder in known)

    return lambda paths: bool(paths) and all(map(is_under, paths))


def _segments(text: str) -> Optional[List[str]]:
    """The segments of an absolute path after one percent-decoding; ``None`` for one that is not proven."""
    if units(text) > _MAX_PATH or not text.startswith("/"):
        return None
    try:
        path = unquote_to_bytes(_BARE_PERCENT.sub("%25", text)).decode("utf-8") if "%" in text else text
    except UnicodeDecodeError:
        return None
    if "\\" in path or "\0" in path:
        return None
    segments: List[str] = []
    for segment in path.split("/"):
        if segment == "..":
            del segments[-1:]
        elif segment not in ("", "."):
            segments.append(segment)
    return segments

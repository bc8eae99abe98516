"""RFC 6962 hashes and paths, the keys of agents and the leaves of the window tree."""

from __future__ import annotations

import hashlib
from typing import Any, List, Mapping, Optional

from .strict_json import canonical_bytes


def leaf_hash(content: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + content).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_from_path(leaf: bytes, index: int, size: int, path: List[str]) -> Optional[str]:
    """The root of a path, in hex; ``None`` if index, size and the length of the path do not match."""
    if not 0 <= index < size:
        return None
    at, last, current, taken = index, size - 1, leaf, 0
    while last > 0:
        if at % 2 == 1 or at < last:
            if taken == len(path):
                return None
            sibling = bytes.fromhex(path[taken])
            taken += 1
            current = node_hash(sibling, current) if at % 2 == 1 else node_hash(current, sibling)
        at //= 2
        last //= 2
    return current.hex() if taken == len(path) else None


def agent_key(agent_id: str) -> str:
    """SHA-256 of the agent's id in lower case, in hex."""
    return hashlib.sha256(agent_id.lower().encode("utf-8")).hexdigest()


def window_leaf(key: str, root: str, count: int, first: int, last: int) -> bytes:
    """The hash of an agent's leaf in the window tree."""
    leaf: Mapping[str, Any] = {
        "agentKey": key,
        "agentRoot": root,
        "count": count,
        "firstSequence": first,
        "lastSequence": last,
    }
    return leaf_hash(canonical_bytes(leaf))

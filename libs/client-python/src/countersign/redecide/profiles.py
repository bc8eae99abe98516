"""The profile versions of a package, by agent and hash."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from ..verify.forms import milliseconds
from ..verify.opening import shown_by
from ..verify.strict_json import canonical_bytes, sha256_hex
from .cel.syntax import Refused
from .cel.values import Unknown
from .check import Difference, Profile

_TOLERANCE_MS = 300_000
_EMPTY: Dict[str, Any] = {
    "version": 1,
    "mode": "enforce",
    "allowed_apis": [],
    "blocked_apis": [],
    "spending_limit": None,
    "spending_window": "day",
    "rate_limit": None,
    "off_limits_actions": [],
    "allowed_actions": [],
    "allowed_data_scopes": [],
    "blocked_data_scopes": [],
    "freeze_on_violation": False,
    "store_payload": False,
    "output_rules": None,
}


class Profiles:
    """Finds the profile that a check names: one that an event commits to, or the empty one of a new agent."""

    def __init__(self, entries: List[Mapping[str, Any]]) -> None:
        self._contents: Dict[Tuple[str, str], Mapping[str, Any]] = {}
        self._changes: Dict[str, List[Tuple[int, int, str, int]]] = {}
        self._withheld: Dict[Tuple[str, str], str] = {}
        self._compiled: Dict[Tuple[str, str], Union[Profile, Unknown]] = {}
        for entry in entries:
            event = entry["event"]
            if event["type"] == "profile.changed":
                change = (entry["sequence"], event["profileVersion"], event["profileSha256"])
                at = milliseconds(event["occurredAt"])
                if at is not None:
                    self._changes.setdefault(event["agentId"], []).append((*change, at))
                self._read(entry, (event["agentId"], event["profileSha256"]))

    def contradiction(self, entry: Mapping[str, Any]) -> Optional[Difference]:
        """The contradiction to the profile that a check names; ``None``: none."""
        event, at = entry["event"], milliseconds(entry["event"]["occurredAt"])
        changes = self._changes.get(event["agentId"], [])
        for _, version, digest, _ in changes:
            if version == event["profileVersion"] and digest != event["profileSha256"]:
                return Difference("profileSha256", event["profileSha256"], digest)
        newest = event["profileVersion"]
        for sequence, version, _, changed_at in changes:
            if sequence < entry["sequence"] and at is not None and at - changed_at > _TOLERANCE_MS:
                newest = max(newest, version)
        if newest == event["profileVersion"]:
            return None
        return Difference("profileVersion", event["profileVersion"], newest)

    def shortest_between(self, agent_id: str, after: int, before: int, limit_id: Optional[str]) -> float:
        """The shortest window of the versions between two, exclusive, in ms.

        A check that was not answered is in no package, may have been judged by one of them, and dropped what was older.

        :param limit_id: ``None``: of the rate
        :returns: infinity where none has a window, 0 where one is not shown
        """
        if before - after <= 1:
            return math.inf
        between = {
            version: digest for _, version, digest, _ in self._changes.get(agent_id, []) if after < version < before
        }
        if len(between) < before - after - 1:
            return 0
        profiles = [self._known((agent_id, digest)) for digest in between.values()]
        return min((0 if isinstance(one, Unknown) else _window_ms(one, limit_id) for one in profiles), default=math.inf)

    def _read(self, entry: Mapping[str, Any], name: Tuple[str, str]) -> None:
        opening = entry["opened"].get("action")
        shown = None if opening is None else shown_by(opening)
        profile = shown.value.get("profile") if shown is not None and isinstance(shown.value, dict) else None
        if isinstance(profile, dict) and sha256_hex(canonical_bytes(profile)) == name[1]:
            self._contents[name] = profile
        else:
            self._withheld[name] = "the profile is erased" if "erased" in entry else "the profile is withheld"

    def of(self, event: Mapping[str, Any]) -> Union[Profile, Unknown]:
        """The profile of a check, or the reason why it is not known."""
        return self._known((event["agentId"], event["profileSha256"]))

    def _known(self, name: Tuple[str, str]) -> Union[Profile, Unknown]:
        if name not in self._compiled:
            self._compiled[name] = self._profile(name)
        return self._compiled[name]

    def _profile(self, name: Tuple[str, str]) -> Union[Profile, Unknown]:
        content = self._contents.get(name)
        if content is None:
            empty = {"agent_id": name[0], **_EMPTY}
            if sha256_hex(canonical_bytes(empty)) != name[1]:
                return Unknown(self._withheld.get(name, "the package does not contain the profile"), withheld=True)
            content = empty
        try:
            return Profile(content)
        except Refused as refused:
            return Unknown(f"a rule cannot be read: {refused}")
        except (KeyError, TypeError, ValueError, AttributeError):
            return Unknown("the profile is malformed")


def _window_ms(profile: Profile, limit_id: Optional[str]) -> float:
    if limit_id is None:
        return math.inf if profile.rate is None else int(profile.rate["per_seconds"]) * 1000
    limits = profile.content.get("limits") or []
    windows = [int(limit["window_seconds"]) * 1000 for limit in limits if limit["id"] == limit_id]
    return windows[0] if windows else math.inf

"""The lists of a profile: the first that denies, in the order of ``libs/policy-engine``.

What this module does not judge raises :class:`NotDecided`: output rules, and addresses that clients read differently.
"""

from __future__ import annotations

import re
from typing import Any, List, Mapping, Optional

from .apis import judge_apis
from .cel.values import ABSENT
from .members import MEMBERS, Subject, not_decided
from .output_rules import has_output_rules
from .rules import Finding

_PATH_LIKE = re.compile(r"[/\\%]|^\.\.+$")
_DEEP_PATH = re.compile(r"/?[A-Za-z0-9_-]+(?:/[A-Za-z0-9_-]+)+/?\*?")
_DENIES = {
    "tool": ("off_limits_action", "P1"),
    "url": ("api_not_allowed", "P2"),
    "data_scope": ("data_scope_denied", "P1"),
    "payload": ("unsafe_output", "P1"),
    "cost": ("spending_limit_exceeded", "P2"),
}


def judge_lists(profile: Mapping[str, Any], subject: Subject) -> Optional[Finding]:
    """The verdict of the lists on an action; ``None`` where none denies it.

    :raises NotDecided: where it is not known
    """
    for judge in (_off_limits, _allowed_actions, _apis, _blocked_scopes, _allowed_scopes, _output, _required, _cost):
        finding = judge(profile, subject)
        if finding is not None:
            return finding
    return None


def match(entries: List[str], name: str) -> Optional[str]:
    """The entry that matches a name: an exact one first, then the shortest pattern."""
    if name in entries and not name.endswith("*"):
        return name
    patterns = [entry for entry in entries if entry.endswith("*") and name.startswith(entry[:-1])]
    return min(patterns, key=len) if patterns else None


def _deny(kind: str, rule: str) -> Finding:
    violation, severity = _DENIES[kind]
    return Finding(violation, severity, rule, None)


def doubt(reader: str, member: str, subject: Subject) -> Optional[Finding]:
    """A denial because another member was meant as ``member``, or disagrees with it."""
    kind = "url" if reader in ("allowed_apis", "blocked_apis") else member
    if subject.misnamed(member) is not None:
        return _deny(kind, f"{reader}:no {MEMBERS[member].right} given")
    if subject.contradicted(member) is not None:
        return _deny(kind, f"{reader}:{subject.name_given(member)} contradicted")
    return None


def _off_limits(profile: Mapping[str, Any], subject: Subject) -> Optional[Finding]:
    entries = profile.get("off_limits_actions") or []
    if not entries:
        return None
    for name in (subject.type, subject.text("tool_name"), subject.text("toolName")):
        entry = None if name is None else match(entries, name)
        if entry is not None:
            return _deny("tool", f"off_limits_actions:{entry}")
    return doubt("off_limits_actions", "tool", subject)


def _allowed_actions(profile: Mapping[str, Any], subject: Subject) -> Optional[Finding]:
    entries = profile.get("allowed_actions") or []
    if not entries or match(entries, subject.type) is not None:
        return None
    if any(match(entries, name) is None for name in subject.values("tool")):
        return _deny("tool", "allowed_actions:not listed")
    doubtful = doubt("allowed_actions", "tool", subject)
    if doubtful is not None or subject.names("tool"):
        return doubtful
    return _deny("tool", "allowed_actions:not listed")


def _apis(profile: Mapping[str, Any], subject: Subject) -> Optional[Finding]:
    rule = judge_apis(profile, subject, lambda reader, member: doubt(reader, member, subject))
    return Finding("api_not_allowed", "P2", rule, None) if isinstance(rule, str) else rule


def _scope_entry(entries: List[str], scope: str, blocks: bool) -> Optional[str]:
    if _PATH_LIKE.search(scope) or not scope.isascii():
        raise not_decided("a data scope that is a path, or beyond ASCII, is not judged by this verifier")
    plain: List[str] = []
    for entry in entries:
        if not _PATH_LIKE.search(entry) and entry.isascii():
            plain.append(entry)
        elif not _DEEP_PATH.fullmatch(entry):
            raise not_decided("an entry for data scopes that is a path is not judged by this verifier")
    found = match(plain, scope)
    return match(plain, f"{scope}/") if found is None and blocks else found


def _blocked_scopes(profile: Mapping[str, Any], subject: Subject) -> Optional[Finding]:
    entries = profile.get("blocked_data_scopes") or []
    if not entries:
        return None
    scope = subject.text("dataScope")
    entry = None if scope is None else _scope_entry(entries, scope, True)
    if entry is not None:
        return _deny("data_scope", f"blocked_data_scopes:{entry}")
    return doubt("blocked_data_scopes", "data_scope", subject)


def _allowed_scopes(profile: Mapping[str, Any], subject: Subject) -> Optional[Finding]:
    entries = profile.get("allowed_data_scopes") or []
    if not entries:
        return None
    scope = subject.text("dataScope")
    if scope is not None and _scope_entry(entries, scope, False) is None:
        return _deny("data_scope", "allowed_data_scopes:not listed")
    doubtful = doubt("allowed_data_scopes", "data_scope", subject)
    if doubtful is not None or scope is not None:
        return doubtful
    return _deny("data_scope", "allowed_data_scopes:no scope given") if subject.is_kind("data_access") else None


def _output(profile: Mapping[str, Any], subject: Subject) -> Optional[Finding]:
    if not has_output_rules(profile):
        return None
    if subject.given("payload") is not ABSENT:
        raise not_decided("output rules are not judged by this verifier")
    return doubt("output_rules", "payload", subject)


def _required(profile: Mapping[str, Any], subject: Subject) -> Optional[Finding]:
    for member in profile.get("require") or []:
        if not subject.fills(member):
            has_arguments = subject.given("payload") is not ABSENT or bool(subject.unread())
            if member == "url" and has_arguments and subject.is_tool_call():
                raise not_decided("addresses among the arguments of a tool are not judged by this verifier")
            return _deny(member, f"require:{member}")
        if subject.contradicted(member) is not None:
            return _deny(member, f"require:{subject.name_given(member)} contradicted")
    return None


def _cost(profile: Mapping[str, Any], subject: Subject) -> Optional[Finding]:
    return None if profile.get("spending_limit") is None else doubt("spending_limit", "cost", subject)

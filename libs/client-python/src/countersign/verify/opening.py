"""Openings of commitments: the whole value with its salt, or single members of it with the digests of the others."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional

from .commitment import (
    COMMITMENTS,
    MAX_MEMBERS,
    commitment_of,
    commitment_of_digests,
    has_members,
    member_digest,
    member_salts,
)
from .forms import ascends, is_hash, is_member_salt, is_salt, is_text, utf16_order


class Shown(NamedTuple):
    """The part of a value that an opening shows. Unless it is ``whole``, other members exist that are withheld."""

    value: Any
    whole: bool

    def may_have(self, name: str) -> bool:
        """True if the value may have a member of this name that is withheld."""
        return not self.whole and name not in self.value


def is_opening(kind: str, opening: Any) -> bool:
    """Checks the form: ``{salt, value}``, ``{salt}`` of a payload, or ``{members}``, which excludes both."""
    if not isinstance(opening, dict):
        return False
    if "members" in opening:
        return "salt" not in opening and "value" not in opening and _are_members(opening["members"])
    return is_salt(opening.get("salt")) and ("value" in opening or kind == "payload")


def _are_members(members: Any) -> bool:
    if not isinstance(members, list) or not 1 <= len(members) <= MAX_MEMBERS:
        return False
    shown = [one for one in members if not is_hash(one)]
    return bool(shown) and all(map(_is_shown_member, shown)) and ascends([one["name"] for one in shown])


def _is_shown_member(member: Any) -> bool:
    return (
        isinstance(member, dict)
        and is_text(member.get("name"))
        and is_member_salt(member.get("salt"))
        and "value" in member
    )


def shown_by(opening: Mapping[str, Any]) -> Optional[Shown]:
    """The content of a well-formed opening; ``None`` if the value was not kept."""
    if "members" in opening:
        shown = [one for one in opening["members"] if isinstance(one, dict)]
        return Shown({one["name"]: one["value"] for one in shown}, len(shown) == len(opening["members"]))
    return Shown(opening["value"], True) if "value" in opening else None


def is_in_part(opening: Mapping[str, Any]) -> bool:
    """True for a well-formed opening that withholds a member."""
    shown = shown_by(opening)
    return shown is not None and not shown.whole


def opened_commitment(kind: str, opening: Mapping[str, Any], version: int) -> str:
    """The commitment that a well-formed opening with a value or members leads to."""
    if "members" not in opening:
        return commitment_of(kind, opening["salt"], opening["value"], version)
    digests = [
        one if isinstance(one, str) else member_digest(kind, one["name"], one["salt"], one["value"])
        for one in opening["members"]
    ]
    return commitment_of_digests(kind, digests)


def opening_holds(event: Mapping[str, Any], kind: str, opening: Any) -> bool:
    """Checks that what an opening shows is what a leaf event commits to.

    ``False`` also for a malformed opening, for one without a value, for ``{members}`` of a leaf of version 1, and where
    the leaf has no such commitment. The form of the leaf, its proof and the content of a context are not checked.

    :param event: the leaf event
    :param kind: ``action``, ``payload`` or ``context``
    :param opening: ``{salt, value}``, or ``{members}`` as :func:`disclose` creates it
    :raises NotCanonical: the opening holds a value without a canonical form
    """
    version, committed = event.get("v"), event.get(kind)
    if type(version) is not int or version not in (1, 2) or kind not in COMMITMENTS or not is_hash(committed):
        return False
    if not is_opening(kind, opening) or shown_by(opening) is None or (version == 1 and "members" in opening):
        return False
    return opened_commitment(kind, opening, version) == committed


def disclose(kind: str, salt: str, value: Mapping[str, Any], names: Iterable[str]) -> Dict[str, Any]:
    """An opening ``{members}`` that shows the named members of a value and withholds the others.

    :param salt: that of the whole value, which the opening does not reveal
    :param value: an object with 1 to 32 members, committed to by a leaf of version 2
    :param names: at least one, of members of the value
    :raises ValueError: the arguments are other than that
    """
    chosen = set(names)
    if kind not in COMMITMENTS or not is_salt(salt) or not has_members(value):
        raise ValueError("the opening is not one of a value that is committed member by member")
    if not chosen or not chosen <= value.keys():
        raise ValueError("at least one member is shown, and each of those named exists")
    ordered = sorted(value, key=utf16_order)
    members: List[Any] = []
    for name, own in zip(ordered, member_salts(kind, salt, len(ordered))):
        if name in chosen:
            members.append({"name": name, "salt": own, "value": value[name]})
        else:
            members.append(member_digest(kind, name, own, value[name]))
    return {"members": members}

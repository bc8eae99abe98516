"""Packages with one or two changes, signed again so that the change itself is tested."""

from __future__ import annotations

import base64
import copy
import json
import random
import re
from typing import Any, Dict, List, Tuple

import vectors
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from countersign.verify import canonical_bytes, commitment_of, key_id_of
from countersign.verify.package import VERIFICATION_MEMBERS
from countersign.verify.strict_json import sha256_hex

SECRET = Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)
_PUBLIC = SECRET.public_key()
PEM = _PUBLIC.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
KEY_ID = key_id_of(_PUBLIC.public_bytes(Encoding.Raw, PublicFormat.Raw))
BASES = ("valid-small.json", "valid-airline.json", "valid-pending.json", "v2-valid.json", "v2-mixed.json")

Member = Tuple[Any, Any]


def cases(count: int, seed: int) -> List[Dict[str, Any]]:
    """``{text, keys, chain, what}``: the text of a changed package, and the input of its verifier."""
    source = random.Random(seed)
    bases = [vectors.load(name) for name in BASES]
    return [_case(source, copy.deepcopy(source.choice(bases))) for _ in range(count)]


def single_proofs(count: int, seed: int) -> List[Dict[str, Any]]:
    """The same for single events with their proofs, and for proofs of absence; ``kind`` distinguishes them."""
    source = random.Random(seed)
    names = ("event-valid.json", "v2-event-valid.json", "absence-valid.json", "absence-valid-last.json")
    bases = {name: vectors.load(name) for name in names}
    found: List[Dict[str, Any]] = []
    for _ in range(count):
        vector = copy.deepcopy(bases[source.choice(list(bases))])
        kind = "event" if "event" in vector else "absence"
        value = {"event": vector["event"], "proof": vector["proof"]} if kind == "event" else vector["absence"]
        chain = vector["chain"] if source.random() < 0.8 else None
        what = _mutate_chain(source, chain) if chain and source.random() < 0.3 else mutate(source, value)
        if source.random() < 0.35:
            name = source.choice(
                ("inclusionProofs", "inclusionProofs", "windows", "timestamp", "agents", "proof", "kind2")
            )
            value[name] = source.choice(([], {}, None, [value.get("txSignature")], "x"))
            what = f"{name} was added" if source.random() < 0.5 else f"{what}; {name} was added"
        text = json.dumps(value)
        found.append({"kind": kind, "text": text, "keys": None, "chain": chain, "what": what})
    return found


def _case(source: random.Random, vector: Dict[str, Any]) -> Dict[str, Any]:
    package, chain, what = vector["package"], vector["chain"], []
    kind = source.random()
    is_signed = source.random() < 0.9
    if kind < 0.15:
        what.append(_mutate_chain(source, chain))
        is_signed = is_signed and source.random() < 0.5
    elif kind < 0.5:
        what.append(source.choice((_mutate_time, _mutate_status, _mutate_scope))(source, package))
    else:
        what += [mutate(source, package) for _ in range(source.choice((1, 1, 1, 2)))]
    if is_signed:
        sign(package)
    if source.random() < 0.15:
        what.append(_mutate_key_url(source, package))
    text = json.dumps(package, ensure_ascii=source.random() < 0.5)
    keys = [{"pem": PEM, "status": "active", "validFrom": None, "validTo": None}]
    return {
        "kind": "package",
        "text": text,
        "keys": keys if source.random() < 0.9 else None,
        "chain": chain,
        "what": "; ".join(what),
    }


def sign(package: Dict[str, Any]) -> None:
    """Recomputes the four verification members of a package, and its ``timestamp.message``."""
    content = {name: value for name, value in package.items() if name not in (*VERIFICATION_MEMBERS, "timestamp")}
    timestamp = package.get("timestamp")
    if isinstance(timestamp, dict):
        timestamp["message"] = f"countersign/1 report={sha256_hex(canonical_bytes(content))}"
        if timestamp.get("anchor") != "pending":
            timestamp.update(anchor="pending", anchor_tx_signature=None, anchor_block_height=None)
        content["timestamp"] = timestamp
    signed = canonical_bytes(content)
    package["sha256"] = sha256_hex(signed)
    package["signature"] = base64.b64encode(SECRET.sign(signed)).decode()
    package["publicKeyUrl"] = f"https://countersign.example/v1/keys/{KEY_ID}"


_TIMES = (
    "0000-01-01",
    "0001-01-01",
    "1969-12-31",
    "1970-01-01",
    "2026-02-29",
    "9999-12-31",
    "10000-01-01",
    "-00001-01-01",
)
_CLOCKS = ("T00:00:00.000Z", "T24:00:00.000Z", "T23:59:60.000Z", "T23:59:59.999Z", "T00:00:00Z", "T00:00:00.000+00:00")


def _mutate_time(source: random.Random, package: Dict[str, Any]) -> str:
    """Replaces a time."""
    members = [(holder, name) for holder, name in _members_below(package) if name in _TIME_MEMBERS]
    # By name first: there are many windows, and one range.
    chosen = source.choice(sorted({name for _, name in members}))
    holder, name = source.choice([member for member in members if member[1] == chosen])
    holder[name] = source.choice(_TIMES) + source.choice((*_CLOCKS, "T00:00:00.000Z", "T23:59:59.999Z"))
    return f"{name} is {holder[name]}"


_TIME_MEMBERS = ("from", "to", "occurredAt", "issued_at", "validFrom", "anchored_at", "window_start", "windowStart")


def _mutate_status(source: random.Random, package: Dict[str, Any]) -> str:
    """Sets a status of another event from the table, with the figures that follow from it."""
    entry = source.choice(package["events"])
    entry["status"], entry["statusReason"] = source.choice(VERDICTS)
    _restate(package, entry)
    return f"status of {entry['event']['type']}: {entry['statusReason']}"


_GAP = "Gap, review required"
VERDICTS = (
    (_GAP, "The inclusion proof or the sequence number of the event does not hold."),
    (_GAP, "Observe mode let a violation pass."),
    (_GAP, "The check was refused, and its execution was reported."),
    (_GAP, "The outcome reports the execution of a check that was refused."),
    (_GAP, "The answer to the check may not have reached its caller."),
    (_GAP, "The data access names no data scope."),
    (_GAP, "The check is ungoverned: no rule and no list of the profile applied to it."),
    ("Prevented", "The check was refused, and no execution was reported."),
    ("Satisfied", None),
)


def _mutate_scope(source: random.Random, package: Dict[str, Any]) -> str:
    """Sets another data scope in an opened action that is not anchored."""
    proofs = zip(package["events"], package["inclusionProofs"])
    loose = [one for one, proof in proofs if not proof["anchored"] and one["event"]["type"] == "action.checked"]
    if not loose:
        return "nothing: each check is anchored"
    entry = source.choice(loose)
    value: Dict[str, Any] = {
        "type": "data_access",
        "dataScope": source.choice(("", " ", "orders", None, 0, False, [], {}, ["a"])),
    }
    if source.random() < 0.1:
        del value["dataScope"]
    salt = "AAAAAAAAAAAAAAAAAAAAAA"
    entry.pop("erased", None)
    entry["opened"] = {"action": {"salt": salt, "value": value}}
    entry["event"]["action"] = commitment_of("action", salt, value, entry["event"]["v"])
    entry["event"]["actionKind"] = "data_access"
    entry["status"], entry["statusReason"] = source.choice((VERDICTS[5], VERDICTS[-1]))
    _restate(package, entry)
    return f"opened {value}, {entry['status']}"


def _restate(package: Dict[str, Any], entry: Dict[str, Any]) -> None:
    for control in entry["controls"]:
        control["status"] = entry["status"]
    statuses = [one["status"] for one in package["events"]]
    for name, status in (("satisfied", "Satisfied"), ("prevented", "Prevented"), ("gap", _GAP)):
        package["summary"][name] = statuses.count(status)


def _mutate_key_url(source: random.Random, package: Dict[str, Any]) -> str:
    """Sets another ``publicKeyUrl``, which no signature covers, with a valid ending."""
    odd = source.choice(
        ("\x85", "\x1c", "\x1f", "\ufeff", "\xa0", "\u2028", " ", "\t", "?", "#", "\x7f", "é", "%", "\\", "@", ":")
    )
    start = source.choice(
        ("https://", "http://", "HTTPS://", "ftp://", "https:/", "//", "https:///", "https:////", "https://:1")
    )
    host = source.choice(("", "a", "a.example", f"a{odd}b", odd, f"a/{odd}", "a/b//c", "[::1]:80"))
    package["publicKeyUrl"] = f"{start}{host}/v1/keys/{KEY_ID}" + source.choice(("", "", "", "\n", "/"))
    return f"publicKeyUrl {package['publicKeyUrl']!r}"


_FIGURES = ("0", "0", "0", "00", "01", "-1", "1e3", "9007199254740991", "9007199254740992", "", "\u0661")


def _mutate_chain(source: random.Random, chain: Dict[str, Any]) -> str:
    """Sets another answer of the chain, or another authority; input from the verifier itself stays well-formed."""
    signature = source.choice(list(chain["transactions"]))
    answer = chain["transactions"][signature]
    kind = source.choice(
        ("memo", "memo", "memo", "memos", "time", "height", "signers", "failed", "gone", "network", "authority")
    )
    if kind == "memo":
        memo = answer["memos"][0]
        old, new = source.choice(
            (("agents=4", "agents=5"), ("PT5M", "PT300S"), ("PT5M", "PT10M"), ("countersign/1", "countersign/2"))
            + ((" window", "  window"), ("events=", "events=0"), ("root=", "root=0"), ("report=", "report=0"))
        )
        figure = source.choice(("agents", "events", "events", None))
        changed = re.sub(rf"{figure}=\d+", f"{figure}={source.choice(_FIGURES)}", memo) if figure else memo
        answer["memos"] = [changed if figure else memo.replace(old, new)]
    elif kind == "memos":
        answer["memos"] = source.choice(([], ["hello", *answer["memos"]], answer["memos"] * 2))
    elif kind == "time":
        answer["blockTime"] = source.choice((None, "1999-01-01T00:00:00.000Z"))
    elif kind == "height":
        answer["blockHeight"] = source.choice((None, 1))
    elif kind == "signers":
        answer["signers"] = source.choice(([], ["Stranger11111111111111111111111111111111111"]))
    elif kind == "failed":
        answer["succeeded"] = False
    elif kind == "gone":
        chain["transactions"][signature] = source.choice(("not-found", "unavailable"))
    elif kind == "network":
        chain["network"] = "solana:testnet"
    else:
        chain["authorities"] = source.choice((None, [], [{**chain["authorities"][0], "network": "solana:testnet"}]))
    return f"chain: {kind} of {signature[:8]}"


def _members_below(value: Any) -> List[Member]:
    """Every member and item below a value, as its holder and its name or index."""
    found: List[Member] = []
    names = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    for name in names:
        found.append((value, name))
        found += _members_below(value[name])
    return found


def mutate(source: random.Random, value: Any) -> str:
    """Changes one member or item below a value, and describes the change."""
    members = _members_below(value)
    holder, name = source.choice(members)
    before = holder[name]
    kind = source.random()
    if kind < 0.12:
        del holder[name]
        return f"{name} left out"
    if kind < 0.2 and isinstance(holder, dict):
        holder["added"] = source.choice((None, 1, "x", {}, []))
        return f"a member added next to {name}"
    if kind < 0.3 and isinstance(holder, list):
        holder.insert(source.randrange(len(holder) + 1), copy.deepcopy(before))
        return f"item {name} repeated"
    if kind < 0.36 and isinstance(holder, list) and len(holder) > 1:
        other = source.randrange(len(holder))
        holder[name], holder[other] = holder[other], before
        return f"items {name} and {other} exchanged"
    if kind < 0.6:
        alike = [other[key] for other, key in members if type(other[key]) is type(before)]
        holder[name] = copy.deepcopy(source.choice(alike))
    else:
        holder[name] = _other_value(source, before)
    return f"{name}: {str(before)[:60]} -> {str(holder[name])[:60]}"


def _other_value(source: random.Random, value: Any) -> Any:
    if source.random() < 0.25:
        return source.choice((None, 0, 1, -1, 1.5, 2.0**53, "", "0", True, False, [], {}, "pending"))
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return source.choice((value + 1, value - 1, -value, value + 0.5, str(value), float(value)))
    if isinstance(value, str) and value:
        at = source.randrange(len(value))
        return source.choice(
            (
                value[:at] + source.choice("0aZ é\u200b😀") + value[at + 1 :],
                value.upper(),
                value[:at],
                value + "0",
                value.replace("0", "1", 1),
            )
        )
    return source.choice((None, value, [value], {"value": value}))

"""Packages with one or two things changed, signed again so that the change is looked at for itself."""

from __future__ import annotations

import base64
import copy
import json
import random
from typing import Any, Dict, List, Tuple

import vectors
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from countersign.verify import canonical_bytes, key_id_of
from countersign.verify.package import VERIFICATION_MEMBERS
from countersign.verify.strict_json import sha256_hex

SECRET = Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)
_PUBLIC = SECRET.public_key()
PEM = _PUBLIC.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
KEY_ID = key_id_of(_PUBLIC.public_bytes(Encoding.Raw, PublicFormat.Raw))
BASES = ("valid-small.json", "valid-airline.json", "valid-pending.json")

Place = Tuple[Any, Any]


def cases(count: int, seed: int) -> List[Dict[str, Any]]:
    """``{text, keys, chain, what}``: the text of a mutated package, and what its verifier has."""
    source = random.Random(seed)
    bases = [vectors.load(name) for name in BASES]
    return [_case(source, copy.deepcopy(source.choice(bases))) for _ in range(count)]


def single_proofs(count: int, seed: int) -> List[Dict[str, Any]]:
    """The same of single events with their proofs, and of proofs of absence; ``kind`` says which."""
    source = random.Random(seed)
    bases = {name: vectors.load(name) for name in ("event-valid.json", "absence-valid.json", "absence-valid-last.json")}
    found: List[Dict[str, Any]] = []
    for _ in range(count):
        vector = copy.deepcopy(bases[source.choice(list(bases))])
        kind = "event" if "event" in vector else "absence"
        value = {"event": vector["event"], "proof": vector["proof"]} if kind == "event" else vector["absence"]
        chain = vector["chain"] if source.random() < 0.8 else None
        what = _mutate_chain(source, chain) if chain and source.random() < 0.3 else _mutate(source, value)
        text = json.dumps(value)
        found.append({"kind": kind, "text": text, "keys": None, "chain": chain, "what": what})
    return found


def _case(source: random.Random, vector: Dict[str, Any]) -> Dict[str, Any]:
    package, chain, what = vector["package"], vector["chain"], []
    if source.random() < 0.15:
        what.append(_mutate_chain(source, chain))
    else:
        what += [_mutate(source, package) for _ in range(source.choice((1, 1, 1, 2)))]
    if source.random() < 0.9:
        sign(package)
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
    """Makes the four members of a package, and its ``timestamp.message``, those of what it is now."""
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


def _mutate_chain(source: random.Random, chain: Dict[str, Any]) -> str:
    """Another answer of the chain, or another authority; what a verifier has of its own keeps its form."""
    signature = source.choice(list(chain["transactions"]))
    told = chain["transactions"][signature]
    kind = source.choice(("memo", "memos", "time", "height", "signers", "failed", "gone", "network", "authority"))
    if kind == "memo":
        memo = told["memos"][0]
        old, new = source.choice(
            (("agents=4", "agents=5"), ("PT5M", "PT300S"), ("PT5M", "PT10M"), ("countersign/1", "countersign/2"))
            + ((" window", "  window"), ("events=", "events=0"), ("root=", "root=0"), ("report=", "report=0"))
        )
        told["memos"] = [memo.replace(old, new)]
    elif kind == "memos":
        told["memos"] = source.choice(([], ["hello", *told["memos"]], told["memos"] * 2))
    elif kind == "time":
        told["blockTime"] = source.choice((None, "1999-01-01T00:00:00.000Z"))
    elif kind == "height":
        told["blockHeight"] = source.choice((None, 1))
    elif kind == "signers":
        told["signers"] = source.choice(([], ["Stranger11111111111111111111111111111111111"]))
    elif kind == "failed":
        told["succeeded"] = False
    elif kind == "gone":
        chain["transactions"][signature] = source.choice(("not-found", "unavailable"))
    elif kind == "network":
        chain["network"] = "solana:testnet"
    else:
        chain["authorities"] = source.choice((None, [], [{**chain["authorities"][0], "network": "solana:testnet"}]))
    return f"chain: {kind} of {signature[:8]}"


def _places(value: Any) -> List[Place]:
    """Every member and item below a value, as its holder and its name or index."""
    found: List[Place] = []
    names = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    for name in names:
        found.append((value, name))
        found += _places(value[name])
    return found


def _mutate(source: random.Random, value: Any) -> str:
    places = _places(value)
    holder, name = source.choice(places)
    before = holder[name]
    kind = source.random()
    if kind < 0.12:
        del holder[name]
        return f"{name} left out"
    if kind < 0.2 and isinstance(holder, dict):
        holder["added"] = source.choice((None, 1, "x", {}, []))
        return f"a member added beside {name}"
    if kind < 0.3 and isinstance(holder, list):
        holder.insert(source.randrange(len(holder) + 1), copy.deepcopy(before))
        return f"item {name} repeated"
    if kind < 0.36 and isinstance(holder, list) and len(holder) > 1:
        other = source.randrange(len(holder))
        holder[name], holder[other] = holder[other], before
        return f"items {name} and {other} exchanged"
    if kind < 0.6:
        alike = [other[place] for other, place in places if type(other[place]) is type(before)]
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

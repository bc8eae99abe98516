"""Changed answers of a node, for a package whose transactions are really signed."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import random
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional, Sequence

import mutations
import vectors
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from countersign.verify.forms import milliseconds
from countersign.verify.package import VERIFICATION_MEMBERS
from countersign.verify.solana_rpc import bytes_of_base58
from countersign.verify.solana_transaction import base58_of_bytes
from countersign.verify.strict_json import canonical_bytes, sha256_hex

_DEVNET = "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG"
_PROGRAM = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
_AUTHORITY, _STRANGER = (Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in (7, 8))
AUTHORITY = base58_of_bytes(_AUTHORITY.public_key().public_bytes_raw())
_ROOT = "ab" * 32


def _transaction(memo: str, at: Optional[int], height: Optional[int], key: Ed25519PrivateKey = _AUTHORITY) -> Any:
    """A transaction in both encodings and in the list; the signer and the authority are its accounts."""
    payer = key.public_key().public_bytes_raw()
    others = [] if key is _AUTHORITY else [_AUTHORITY.public_key().public_bytes_raw()]
    keys = [payer, *others, bytes_of_base58(_PROGRAM) or b""]
    blockhash, data = hashlib.sha256(memo.encode()).digest(), memo.encode()
    length = bytes([len(data)]) if len(data) < 128 else bytes([len(data) & 127 | 128, len(data) >> 7])
    instruction = bytes([len(keys) - 1, 1, 0]) + length + data
    message = bytes([1, 0, len(keys) - 1, len(keys)]) + b"".join(keys) + blockhash + b"\x01" + instruction
    signature = key.sign(message)
    return {
        "signature": base58_of_bytes(signature),
        "wire": base64.b64encode(b"\x01" + signature + message).decode(),
        "message": {
            "accountKeys": [base58_of_bytes(one) for one in keys],
            "header": {
                "numRequiredSignatures": 1,
                "numReadonlySignedAccounts": 0,
                "numReadonlyUnsignedAccounts": len(keys) - 1,
            },
            "instructions": [{"accounts": [0], "data": base58_of_bytes(data), "programIdIndex": len(keys) - 1}],
            "recentBlockhash": base58_of_bytes(blockhash),
        },
        "shown": True,
        "err": None,
        "blockTime": at,
        "blockHeight": height,
        "listed": {"err": None, "blockTime": at, "memo": f"[{len(data)}] {memo}"},
    }


def _story() -> Dict[str, Any]:
    """``{package, transactions}``: newest first, as a node lists them."""
    vector = vectors.load("walk-valid.json")
    chain, package = vector["chain"], vector["package"]
    report = package["timestamp"]["anchor_tx_signature"]
    text, found = json.dumps(package), {}
    for signature, answer in chain["transactions"].items():
        if signature != report:
            at = (milliseconds(answer["blockTime"]) or 0) // 1000
            found[signature] = _transaction(answer["memos"][0], at, answer["blockHeight"])
            text = text.replace(signature, found[signature]["signature"])
    package = json.loads(text)
    mutations.sign(package)
    timestamp, answer = package["timestamp"], chain["transactions"][report]
    at = (milliseconds(answer["blockTime"]) or 0) // 1000
    found[report] = _transaction(timestamp["message"], at, answer["blockHeight"])
    timestamp.update(anchor="solana:devnet", anchor_tx_signature=found[report]["signature"])
    timestamp["anchor_block_height"] = answer["blockHeight"]
    signed = canonical_bytes({name: one for name, one in package.items() if name not in VERIFICATION_MEMBERS})
    package.update(sha256=sha256_hex(signed), signature=base64.b64encode(mutations.SECRET.sign(signed)).decode())
    order = [one["signature"] for walk in chain["walks"] for one in walk["listed"]]
    return {"package": package, "transactions": [found[signature] for signature in order if signature in found]}


_TIMES = (None, -1, -60, 0, 59.5, 10**12, 253402300800, 1, 4102444800)
_COLUMNS: List[Callable[[str], Any]] = [
    lambda _: None,
    lambda _: "",
    lambda column: column[:-1],
    lambda column: column + "; " + column,
    lambda column: column + " ",
    lambda column: column.replace("] ", "]  ", 1),
    lambda column: "[3] abc; " + column,
    lambda column: "[0] ; " + column,
    lambda column: "[4] é€; " + column,
    lambda column: column.replace("events=", "events=0", 1),
]


_KINDS = ["time", "time", "time listed", "column", "column", "err", "err listed", "gone", "left out", "twice", "order"]
_KINDS += ["height", "second root", "second root", "stranger", "no memo listed"]
# With this seed, the cases of one change cover answers of many kinds.
_ONE_EACH = 3


def nodes(count: int, seed: int) -> List[Dict[str, Any]]:
    """``{kind: "rpc", text, transactions, what}``: one unchanged, one of each kind of change, ``count`` by the seed."""
    story = _story()
    always, source = random.Random(_ONE_EACH), random.Random(seed)
    kinds = [(), *((kind,) for kind in _KINDS)]
    cases = [_case(always, copy.deepcopy(story), each) for each in kinds]
    for _ in range(count):
        some = [source.choice(_KINDS) for _ in range(source.choice((1, 1, 2)))]
        cases.append(_case(source, copy.deepcopy(story), some))
    return cases


def _case(source: random.Random, story: Dict[str, Any], kinds: Sequence[str]) -> Dict[str, Any]:
    transactions = story["transactions"]
    what = [_changed(source, transactions, kind) for kind in kinds] or ["nothing"]
    return {"kind": "rpc", "text": json.dumps(story["package"]), "transactions": transactions, "what": "; ".join(what)}


def _changed(source: random.Random, listed: List[Any], kind: str) -> str:
    one = source.choice([each for each in listed if each["listed"]])
    if kind == "time":
        one["blockTime"] = one["listed"]["blockTime"] = source.choice(_TIMES)
    elif kind == "time listed":
        one["listed"]["blockTime"] = source.choice(_TIMES)
    elif kind == "column":
        one["listed"]["memo"] = source.choice(_COLUMNS)(one["listed"]["memo"] or "")
    elif kind in ("err", "err listed"):
        one["listed"]["err"] = {"InstructionError": [0, "InvalidArgument"]}
        one["err"] = one["listed"]["err"] if kind == "err" else None
    elif kind == "gone":
        one["shown"] = False
    elif kind == "left out":
        one["listed"] = None if len([each for each in listed if each["listed"]]) > 1 else one["listed"]
    elif kind == "twice":
        listed.insert(listed.index(one), copy.deepcopy(one))
    elif kind == "order":
        listed.reverse()
    elif kind == "height":
        one["blockHeight"] = source.choice((None, 1, 0))
    else:
        memo = base64.b64decode(one["wire"])[-200:].decode("utf-8", "replace")
        start = memo.find("countersign/1 root=")
        head = len("countersign/1 root=")
        other = memo[start : start + head] + _ROOT + memo[start + head + 64 :] if start >= 0 else "countersign/2"
        extra = _transaction(other, one["blockTime"], 2000, _STRANGER if kind == "stranger" else _AUTHORITY)
        if kind == "no memo listed":
            extra["listed"]["memo"] = None
        listed.insert(source.randrange(len(listed) + 1), extra)
    return f"{kind} of {one['signature'][:8]}: {one['listed'] and one['listed']['blockTime']}"


class Node:
    """``with Node(cases) as node``: plays the transactions of case ``n`` at ``f"{node.address}/{n}"``."""

    def __init__(self, cases: List[Dict[str, Any]]) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                transactions = cases[int(self.path.strip("/"))]["transactions"]
                answer = {"jsonrpc": "2.0", "id": asked["id"], "result": _answer(asked, transactions)}
                body = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                return

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Node:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()


def _answer(asked: Any, transactions: List[Any]) -> Any:
    method, params = asked["method"], asked.get("params", [])
    if method == "getGenesisHash":
        return _DEVNET
    if method == "getBlockHeight":
        return 5000
    if method == "getBlock":
        one = transactions[params[0] - 1]
        return {"blockHeight": one["blockHeight"], "blockTime": one["blockTime"], "blockhash": _DEVNET} | {
            "parentSlot": 1,
            "previousBlockhash": _DEVNET,
        }
    if method == "getSignaturesForAddress":
        listed = [
            {"signature": one["signature"], "slot": n + 1, **one["listed"]}
            for n, one in enumerate(transactions)
            if one["listed"]
        ]
        before = params[1].get("before")
        indexes = [n for n, one in enumerate(listed) if one["signature"] == before]
        return listed[indexes[-1] + 1 if indexes else 0 :][: params[1]["limit"]]
    found = next(
        ((n, one) for n, one in enumerate(transactions) if one["signature"] == params[0] and one["shown"]), None
    )
    if found is None:
        return None
    n, one = found
    meta = {
        "err": one["err"],
        "fee": 5000,
        "preBalances": [1],
        "postBalances": [1],
        "innerInstructions": [],
        "logMessages": [],
    }
    in_base64 = params[1].get("encoding") == "base64"
    shown = [one["wire"], "base64"] if in_base64 else {"signatures": [one["signature"]], "message": one["message"]}
    return {"slot": n + 1, "blockTime": one["blockTime"], "meta": meta, "transaction": shown, "version": "legacy"}

"""Looks up transactions at Solana RPC addresses of the caller's choice."""

from __future__ import annotations

import base64
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime, timezone
from typing import Any, Dict, Iterator, List, Optional, Sequence

import httpx

from .chain import Answer, Authority, ChainFacts, Listed, NamedTransaction, Transaction, Walk, transactions_to_ask
from .forms import milliseconds
from .solana_transaction import read_signed
from .walk import BOUND, transactions_of_walk, walk_back_to

_MEMO_PROGRAMS = frozenset(
    ("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr", "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo")
)
_NETWORKS = {
    "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d": "solana:mainnet-beta",
    "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG": "solana:devnet",
    "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY": "solana:testnet",
}
_MEMO_HEAD = re.compile(rb"\[([0-9]{1,5})\] ")
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_AT_ONCE = 8
_END_OF_9999 = 253_402_300_799
_PAGE = 1_000
_ROUNDS = 4
"""Rounds of transaction look-ups: each may reveal further transactions that contradict the package."""


class RpcUnavailable(Exception):
    """No address gave a readable answer."""


def bytes_of_base58(text: str) -> Optional[bytes]:
    """``None`` if the text has a character outside of base58."""
    number = 0
    for character in text:
        digit = _BASE58.find(character)
        if digit < 0:
            return None
        number = number * 58 + digit
    zeros = len(text) - len(text.lstrip("1"))
    return b"\x00" * zeros + number.to_bytes((number.bit_length() + 7) // 8, "big")


class SolanaRpc:
    """Several addresses of one network: the first answer is trusted, except that there is nothing.

    :param urls: JSON-RPC addresses; :param timeout: seconds for one request
    """

    def __init__(self, urls: Sequence[str], timeout: float = 10.0) -> None:
        self._urls = list(urls)
        self._http = httpx.Client(timeout=timeout, follow_redirects=False)

    def __enter__(self) -> SolanaRpc:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def network(self) -> str:
        """Determined by the genesis hash; any that is not of a public network is ``solana:localnet``.

        The first address that answers decides; afterwards only nodes of that network are asked.

        :raises RpcUnavailable: no node answered
        """
        hashes: Dict[str, Any] = {}
        for url in self._urls:
            with suppress(RpcUnavailable):
                hashes[url] = self._ask_one(url, "getGenesisHash", [])
        if not hashes:
            raise RpcUnavailable("no address answered getGenesisHash")
        genesis = next(iter(hashes.values()))
        self._urls = [url for url, said in hashes.items() if said == genesis]
        return _NETWORKS.get(str(genesis), "solana:localnet")

    def look_up(self, signature: str) -> Answer:
        """The transaction at the commitment ``finalized``.

        Its signers and its content are not trusted from the node: the signature of the fee payer covers all of it,
        and is verified here, like all other required ones. A node that shows another transaction is ``unavailable``.
        Nodes keep histories of different lengths: ``not-found`` means that no answering node has it.
        """
        wanted = bytes_of_base58(signature)
        if wanted is None or len(wanted) != 64:
            return "not-found"
        options = {"commitment": "finalized", "encoding": "base64", "maxSupportedTransactionVersion": 0}
        try:
            answers = self._answers("getTransaction", [signature, options])
            found = next((one for one in answers if one is not None), None)
            return "not-found" if found is None else self._transaction_of(found, wanted)
        except (RpcUnavailable, KeyError, TypeError, IndexError, ValueError):
            return "unavailable"

    def walk(self, address: str, back_to: int, bound: int) -> Walk:
        """The transactions that name an address, newest first, back to a block time (milliseconds).

        It is incomplete if no node answers, or the bound is reached.
        """
        listed: List[Listed] = []
        while len(listed) < bound:
            options: Dict[str, Any] = {"commitment": "finalized", "limit": min(_PAGE, bound - len(listed))}
            if listed:
                options["before"] = listed[-1].signature
            try:
                page = self._ask("getSignaturesForAddress", [address, options])
                found = [_listed(one) for one in page]
            except (RpcUnavailable, KeyError, TypeError, ValueError):
                return Walk(address, False, listed)
            listed += found
            oldest = milliseconds(listed[-1].block_time) if listed else None
            if not found or (oldest is not None and oldest < back_to):
                return Walk(address, True, listed)
        return Walk(address, False, listed)

    def _transaction_of(self, found: Dict[str, Any], signature: bytes) -> Transaction:
        if found.get("meta") is None:
            raise RpcUnavailable("the node does not know the status of the transaction")
        signed = read_signed(base64.b64decode(found["transaction"][0], validate=True))
        if signed.signatures[0] != signature:
            raise RpcUnavailable("the node shows another transaction than was asked for")
        memos = [data.decode("utf-8", "replace") for program, data in signed.instructions if program in _MEMO_PROGRAMS]
        at = found.get("blockTime")
        return Transaction(
            succeeded=found["meta"]["err"] is None,
            finalized=True,
            signers=signed.signers,
            memos=memos,
            block_time=_iso(at),
            block_height=self._height_of(found["slot"]),
        )

    def _height_of(self, slot: int) -> Optional[int]:
        """``None`` if the node no longer has the block."""
        options = {
            "commitment": "finalized",
            "transactionDetails": "none",
            "rewards": False,
            "maxSupportedTransactionVersion": 0,
        }
        try:
            block = self._ask("getBlock", [slot, options])
        except RpcUnavailable:
            return None
        height = block.get("blockHeight") if isinstance(block, dict) else None
        return height if isinstance(height, int) else None

    def _ask(self, method: str, params: List[Any]) -> Any:
        return next(self._answers(method, params))

    def _answers(self, method: str, params: List[Any]) -> Iterator[Any]:
        """The answer of each address, requested while the previous ones did not suffice.

        :raises RpcUnavailable: no node answered
        """
        answered = False
        for url in self._urls:
            try:
                answer = self._ask_one(url, method, params)
            except RpcUnavailable:
                continue
            answered = True
            yield answer
        if not answered:
            raise RpcUnavailable(f"no address answered {method}")

    def _ask_one(self, url: str, method: str, params: List[Any]) -> Any:
        try:
            answer = self._http.post(url, json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
            body = answer.json() if answer.status_code == 200 else None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError):
            body = None
        # A failed node may send an error together with a null result, which would mean that there is nothing.
        if isinstance(body, dict) and "result" in body and body.get("error") is None:
            return body["result"]
        raise RpcUnavailable(f"{url} did not answer {method}")


def ask_chain(
    urls: Sequence[str],
    named: Sequence[NamedTransaction],
    authorities: Sequence[str],
    timeout: float = 10.0,
    package: Any = None,
    absences: Sequence[Any] = (),
    bound: int = BOUND,
) -> ChainFacts:
    """Looks up what a package names on the network of the addresses; never raises for an unavailable node.

    :param authorities: addresses that may have anchored; empty: the sender is not checked
    :param package: if given, other transactions of the authorities are read as far as they concern this package
    :param absences: proofs of absence, whose transactions are looked up too
    :param bound: maximum number of transactions listed for each authority
    """
    with SolanaRpc(urls, timeout) as rpc:
        try:
            network = rpc.network()
        except RpcUnavailable:
            return ChainFacts("unknown", {}, _known(authorities, "unknown"))
        every = [*named, *(one for absence in absences for one in transactions_to_ask(absence))]
        wanted = list(dict.fromkeys(one.signature for one in every if one.network == network))
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            answers = dict(zip(wanted, pool.map(rpc.look_up, wanted)))
            back_to = walk_back_to(package)
            if back_to is None or not authorities:
                return ChainFacts(network, answers, _known(authorities, network))
            walks = [rpc.walk(address, back_to, bound) for address in dict.fromkeys(authorities)]
            facts = ChainFacts(network, answers, _known(authorities, network), walks)
            for _ in range(_ROUNDS):
                further = transactions_of_walk(package, facts)
                answers.update(zip(further, pool.map(rpc.look_up, further)))
                if not further:
                    break
        return facts


def _listed(one: Any) -> Listed:
    at, memo = one.get("blockTime"), one.get("memo")
    memos = listed_memos(memo) if isinstance(memo, str) else []
    return Listed(str(one["signature"]), one.get("err") is None, _iso(at), memos)


def listed_memos(column: str) -> List[str]:
    """Texts of a memo column: ``[length in bytes] text``, several joined by ``; ``; any other form ends the list."""
    texts: List[str] = []
    rest = column.encode("utf-8", "replace")
    while True:
        head = _MEMO_HEAD.match(rest)
        if head is None or head.end() + int(head.group(1)) > len(rest):
            return texts
        end = head.end() + int(head.group(1))
        texts.append(rest[head.end() : end].decode("utf-8", "replace"))
        if rest[end : end + 2] != b"; ":
            return texts
        rest = rest[end + 2 :]


def _known(addresses: Sequence[str], network: str) -> Optional[List[Authority]]:
    return [Authority(address, network) for address in addresses] or None


def _iso(seconds: Any) -> Optional[str]:
    """A block time; ``None`` for all but whole seconds from 1970 to the end of the year 9999."""
    is_number = type(seconds) in (int, float) and 0 <= seconds <= _END_OF_9999
    if not is_number or seconds != int(seconds):
        return None
    return datetime.fromtimestamp(int(seconds), timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")

"""The windows named by the transactions of an authority, and the order in which it closed them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from .chain import ChainFacts, Transaction, Walk, may_sign
from .forms import milliseconds
from .memo import WindowMemo, read_window_memo


@dataclass(frozen=True)
class ChainWindow:
    """``signed``: its transaction was looked up and is the authority's; otherwise it is only listed by a node."""

    authority: str
    signature: str
    memo: WindowMemo
    block_time: Optional[int]
    signed: bool

    @property
    def end(self) -> int:
        return self.memo.start + self.memo.seconds * 1000

    @property
    def identity(self) -> Tuple[str, int, int]:
        return (self.memo.root, self.memo.start, self.end)

    @property
    def label(self) -> Tuple[int, int]:
        return (self.memo.start, self.memo.seconds)


def windows_of(walk: Walk, chain: ChainFacts) -> List[ChainWindow]:
    """Each memo once, oldest first; transactions that were looked up and are not the authority's are left out."""
    found: Dict[WindowMemo, ChainWindow] = {}
    for listed in reversed(walk.listed):
        looked_up = _memos_signed_by(walk.address, listed.signature, chain)
        for text in (listed.memos if looked_up is None else looked_up) if listed.succeeded else ():
            memo = read_window_memo(text)
            if memo is None:
                continue
            before = found.get(memo)
            if before is None or (looked_up is not None and not before.signed):
                at = milliseconds(listed.block_time)
                found[memo] = ChainWindow(walk.address, listed.signature, memo, at, looked_up is not None)
    return list(found.values())


def _memos_signed_by(address: str, signature: str, chain: ChainFacts) -> Optional[Sequence[str]]:
    """``None``: the transaction was not looked up, or no node answered; empty if it is not the authority's."""
    answer = chain.transactions.get(signature)
    if answer == "not-found":
        return ()
    if not isinstance(answer, Transaction) or not answer.finalized:
        return None
    at = milliseconds(answer.block_time)
    known = [one for one in chain.authorities or () if one.address == address]
    signed = answer.succeeded and any(may_sign(one, answer, chain.network, at) for one in known)
    return answer.memos if signed else ()


class Line:
    """``origins``: windows whose ``prev`` is not a window here."""

    def __init__(self, windows: Sequence[ChainWindow]) -> None:
        by_root = {(window.memo.seconds, window.memo.root): window for window in windows}
        self._before = {
            id(window): by_root.get((window.memo.seconds, window.memo.prev))
            for window in windows
            if window.memo.prev is not None
        }
        self._places: Dict[int, Tuple[int, int]] = {}
        for window in windows:
            self._place(window)
        self.origins = [window for window in windows if self._places[id(window)][1] == 0]

    def _place(self, window: ChainWindow) -> None:
        ahead: List[ChainWindow] = []
        seen: Dict[int, bool] = {}
        for one in self._back_from(window):
            if id(one) in self._places or id(one) in seen:
                ahead.append(one)
                break
            seen[id(one)] = True
            ahead.append(one)
        for index in range(len(ahead) - 1, -1, -1):
            one = ahead[index]
            if id(one) in self._places:
                continue
            known = self._places.get(id(ahead[index + 1])) if index + 1 < len(ahead) else None
            self._places[id(one)] = (id(one), 0) if known is None else (known[0], known[1] + 1)

    def _back_from(self, window: ChainWindow) -> Iterator[ChainWindow]:
        at: Optional[ChainWindow] = window
        while at is not None:
            yield at
            at = self._before.get(id(at))

    def is_before(self, window: ChainWindow, other: ChainWindow) -> bool:
        """True if it was closed before: ``prev`` leads back to it, or, for another duration, its block is no later."""
        if window.authority != other.authority or window.memo.seconds != other.memo.seconds:
            if window.block_time is None or other.block_time is None:
                return False
            return window.block_time <= other.block_time
        first, second = self._places.get(id(window)), self._places.get(id(other))
        return first is not None and second is not None and first[0] == second[0] and first[1] < second[1]

"""Refuses guarded functions that are not finished when they return: their outcome would be reported too early."""

from __future__ import annotations

import inspect
from typing import Any, Callable, TypeVar

T = TypeVar("T")


def require_whole(fn: Callable[..., Any], *, awaited: bool) -> None:
    """``awaited``: whether the result is awaited.

    :raises TypeError: ``fn`` is a function of generators, or of coroutines that are not awaited; or no function, like
        its own result
    """
    if not callable(fn):
        if inspect.iscoroutine(fn):
            fn.close()
        raise TypeError(f"guard takes the function itself, then its arguments, and no {type(fn).__name__}")
    for called in (fn, getattr(type(fn), "__call__", None)):  # noqa: B004 - an object may be called by a coroutine
        if inspect.isgeneratorfunction(called) or inspect.isasyncgenfunction(called):
            raise TypeError(_message(fn, "a generator", awaited))
        if not awaited and inspect.iscoroutinefunction(called):
            raise TypeError(_message(fn, "a coroutine", awaited))


def whole(value: T, *, awaited: bool) -> T:
    """Returns the given value.

    :raises TypeError: it is a generator, or must be awaited; one that has not started is closed
    """
    if inspect.isgenerator(value):
        value.close()
        raise TypeError(_message(value, "a generator", awaited))
    if inspect.isasyncgen(value):
        raise TypeError(_message(value, "a generator", awaited))
    if not awaited and inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        raise TypeError(_message(value, "a coroutine", awaited))
    return value


def _message(what: Any, kind: str, awaited: bool) -> str:
    name = getattr(what, "__name__", type(what).__name__)
    if kind == "a coroutine":
        return f"guard: {name} gives what is to be awaited, which a Countersign does not: use an AsyncCountersign"
    inside = "async def: collect and return it" if awaited else f"lambda: list({name}(…))"
    return (
        f"guard: {name} gives {kind}, of which nothing is done yet: go through it inside of what is guarded ({inside})"
    )

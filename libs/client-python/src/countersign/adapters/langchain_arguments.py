"""Distinguishes a LangChain tool's input from arguments that the framework injects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, FrozenSet, Iterator, List, Mapping, Set, Tuple, get_args, get_type_hints

from .argument_forms import form_of_given, form_of_injected

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

#: Annotations that the framework fills in itself.
_FRAMEWORK = frozenset(("langchain", "langchain_core", "langgraph"))
_CALLBACKS = frozenset(("run_manager", "callbacks"))


@dataclass(frozen=True)
class Arguments:
    """``hidden``: names of arguments that are not sent. ``not_sent``: those that the tool's own code takes, in order.

    ``configurations``: those that receive the value of ``config``. ``callers``: names of arguments that a
    caller injects.
    """

    hidden: FrozenSet[str]
    configurations: FrozenSet[str]
    not_sent: Tuple[str, ...]
    callers: FrozenSet[str]

    @classmethod
    def of(cls, tool: BaseTool) -> Arguments:
        """Arguments from the framework are hidden: state, stores, runtime, configuration, callbacks, the call's id.

        An argument annotated with ``InjectedToolArg``, or a subclass that is not the framework's, comes from
        a caller, and is part of the execution like those of the model.
        """
        kinds = _annotations_of(tool)
        unseen = _unseen_by_the_model(tool)
        callers = frozenset(name for name in unseen if _is_a_callers(kinds.get(name)))
        hidden = unseen - callers
        configurations = frozenset(name for one in _executed(tool) for name in _configurations_of(one))
        sent = {name for name in hidden - _CALLBACKS - {"config"} if not _is_the_calls_id(kinds.get(name))}
        return cls(frozenset(hidden), configurations, tuple(sorted(sent | configurations)), callers)

    def sent(self, positional: Tuple[Any, ...], named: Mapping[str, Any]) -> Any:
        """The tool's input of this execution as JSON; values without a JSON form as type names."""
        given: Dict[str, Any] = {
            name: form_of_injected(value) if name in self.callers else form_of_given(value)
            for name, value in named.items()
            if name not in self.hidden
        }
        if not positional:
            return given
        first: Any = form_of_given(positional[0] if len(positional) == 1 else list(positional))
        return {**given, "args": form_of_given(list(positional))} if given else first

    def injected(self, named: Mapping[str, Any]) -> Dict[str, Any]:
        """Arguments that are not sent and that the tool's own code takes."""
        given = {name: value for name, value in named.items() if name in self.hidden - _CALLBACKS - {"config"}}
        return {**given, **{name: named["config"] for name in self.configurations if "config" in named}}


def _unseen_by_the_model(tool: BaseTool) -> Set[str]:
    from langchain_core.tools.base import get_all_basemodel_annotations

    shown = tool.tool_call_schema
    if isinstance(shown, dict):
        visible, known = set(shown.get("properties", {})), set(tool._injected_args_keys)
    else:
        visible = set(get_all_basemodel_annotations(shown))
        known = set(get_all_basemodel_annotations(tool.get_input_schema())) | tool._injected_args_keys
    configurations = set(_configurations_of(tool._run)) if _hints_of(tool._run) else {"config"}
    return (known - visible) | configurations | {"run_manager"}


def _annotations_of(tool: BaseTool) -> Dict[str, Any]:
    from langchain_core.tools.base import get_all_basemodel_annotations

    found: Dict[str, Any] = {}
    for function in _executed(tool):
        found.update(_hints_of(function))
    if not isinstance(tool.args_schema, dict):
        found.update(get_all_basemodel_annotations(tool.get_input_schema()))
    return found


def _executed(tool: BaseTool) -> List[Any]:
    """The functions that a tool wraps, or its methods."""
    of_functions = [one for one in (getattr(tool, "func", None), getattr(tool, "coroutine", None)) if one is not None]
    return of_functions or [tool._run, tool._arun]


def _configurations_of(function: Any) -> Iterator[str]:
    from langchain_core.runnables import RunnableConfig

    for name, kind in _hints_of(function).items():
        if kind is RunnableConfig or RunnableConfig in get_args(kind):
            yield name


def _hints_of(function: Any) -> Dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except (NameError, TypeError):
        return {}


def _kinds_of(annotation: Any) -> List[type]:
    """The injection classes in an annotation."""
    from langchain_core.tools import InjectedToolArg

    marks = [mark if isinstance(mark, type) else type(mark) for mark in get_args(annotation)[1:]]
    return [mark for mark in marks if issubclass(mark, InjectedToolArg)]


def _is_a_callers(annotation: Any) -> bool:
    from langchain_core.tools import InjectedToolArg

    kinds = _kinds_of(annotation)
    return bool(kinds) and not any(
        base is not InjectedToolArg and base.__module__.split(".")[0] in _FRAMEWORK
        for kind in kinds
        for base in kind.__mro__
        if issubclass(base, InjectedToolArg)
    )


def _is_the_calls_id(annotation: Any) -> bool:
    from langchain_core.tools import InjectedToolCallId

    return any(issubclass(kind, InjectedToolCallId) for kind in _kinds_of(annotation))

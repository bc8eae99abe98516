"""``matches``: patterns of RE2, in time linear in the text.

Python's own expressions have another meaning and no bound of time, so the patterns are compiled here to a
nondeterministic automaton whose states are followed all at once. Parts of RE2 that depend on tables of Unicode beyond
general categories are not judged.
"""

from __future__ import annotations

import unicodedata
from typing import Any, Callable, Dict, FrozenSet, List, NamedTuple, Optional, Tuple, Union

from ..cel.syntax import Refused

_MAX_PATTERN = 512
_MAX_STATES = 20_000
_MAX_REPEAT = 1000
_MAX_DEPTH = 100
# Under (?i) these letters beyond ASCII match letters of ASCII, or have no case that all implementations share.
_FOLDED = frozenset("\u017f\u212a\u0130\u0131")
_SPACE = frozenset("\t\n\f\r ")
_PERL = {"d": str.isdigit, "s": _SPACE.__contains__, "w": lambda one: one.isalnum() or one == "_"}
_POSIX: Dict[str, Callable[[str], bool]] = {
    "alnum": str.isalnum,
    "alpha": str.isalpha,
    "ascii": lambda one: True,
    "blank": "\t ".__contains__,
    "cntrl": lambda one: ord(one) < 32 or ord(one) == 127,
    "digit": str.isdigit,
    "graph": lambda one: 32 < ord(one) < 127,
    "lower": str.islower,
    "print": lambda one: 32 <= ord(one) < 127,
    "punct": lambda one: 32 < ord(one) < 127 and not one.isalnum(),
    "space": "\t\n\v\f\r ".__contains__,
    "upper": str.isupper,
    "word": lambda one: one.isalnum() or one == "_",
    "xdigit": "0123456789abcdefABCDEF".__contains__,
}
_ESCAPES = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}

Test = Callable[[str], bool]


class NotJudged(Exception):
    """A part of a pattern, or a character of a text, that is not judged here."""


class _Flags(NamedTuple):
    fold: bool = False
    lines: bool = False
    dot_all: bool = False


class Program:
    """A compiled pattern: edges of states, state 0 is the end. Conditions look at the characters around a place."""

    def __init__(self) -> None:
        self.steps: List[Tuple[Any, ...]] = [("end",)]
        self.start = 0
        self.folds = False
        self._known: Dict[Tuple[FrozenSet[int], str], FrozenSet[int]] = {}

    def add(self, *step: Any) -> int:
        if len(self.steps) >= _MAX_STATES:
            raise NotJudged("a pattern is too large to be judged here")
        self.steps.append(step)
        return len(self.steps) - 1

    def found_in(self, text: str) -> bool:
        """True if the text contains a match.

        :raises NotJudged: for a text with characters whose class depends on the version of Unicode
        """
        if self.folds and not _FOLDED.isdisjoint(text):
            raise NotJudged("a text has letters whose case is not judged here")
        states: FrozenSet[int] = frozenset()
        for at in range(len(text) + 1):
            before, after = text[at - 1 : at] if at else "", text[at : at + 1]
            reached = self._closure(states | {self.start}, before, after)
            if 0 in reached:
                return True
            if not after:
                return False
            key = (reached, after)
            known = self._known.get(key)
            if known is None:
                known = frozenset(
                    step[2] for step in (self.steps[one] for one in reached) if step[0] == "test" and step[1](after)
                )
                if len(self._known) < _MAX_STATES:
                    self._known[key] = known
            states = known
        return False

    def _closure(self, states: FrozenSet[int], before: str, after: str) -> FrozenSet[int]:
        reached, waiting = set(states), list(states)
        while waiting:
            step = self.steps[waiting.pop()]
            if step[0] == "split":
                targets = step[1]
            elif step[0] == "look" and _holds(step[1], before, after):
                targets = (step[2],)
            else:
                continue
            for target in targets:
                if target not in reached:
                    reached.add(target)
                    waiting.append(target)
        return frozenset(reached)


def _holds(condition: str, before: str, after: str) -> bool:
    if condition in ("begin", "end"):
        return not (before if condition == "begin" else after)
    if condition in ("line begin", "line end"):
        return (before if condition == "line begin" else after) in ("", "\n")
    is_boundary = _is_word(before) != _is_word(after)
    return is_boundary if condition == "boundary" else not is_boundary


def _is_word(one: str) -> bool:
    return one != "" and one.isascii() and (one.isalnum() or one == "_")


def compile_pattern(text: str) -> Union[Program, str]:
    """The program of a pattern, or a text that says why it is not judged here.

    :raises Refused: for a pattern that is longer than those of a profile may be
    """
    if len(text) > _MAX_PATTERN:
        raise Refused("a pattern is too long")
    try:
        return _Compiler(text).program()
    except NotJudged as error:
        return str(error)


# A part of a pattern: given the state after it, the state before it. It is called once for each copy.
_Part = Callable[[int], int]


class _Compiler:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._flags = _Flags()
        self._program = Program()
        self._depth = 0

    def program(self) -> Program:
        part = self._alternatives()
        if self._at < len(self._text):
            raise NotJudged("a pattern has a ) without its (")
        self._program.start = part(0)
        return self._program

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self) -> str:
        if self._at >= len(self._text):
            raise NotJudged("a pattern ends too early")
        self._at += 1
        return self._text[self._at - 1]

    def _accept(self, text: str) -> bool:
        found = self._text.startswith(text, self._at)
        self._at += len(text) if found else 0
        return found

    def _alternatives(self) -> _Part:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise NotJudged("a pattern is nested too deeply")
        branches = [self._sequence()]
        while self._accept("|"):
            branches.append(self._sequence())
        self._depth -= 1
        if len(branches) == 1:
            return branches[0]
        return lambda after: self._program.add("split", tuple(branch(after) for branch in branches))

    def _sequence(self) -> _Part:
        parts: List[_Part] = []
        while self._peek() not in ("", "|", ")"):
            part = self._atom()
            parts.append(self._repeated(part) if part is not None else lambda after: after)

        def build(after: int) -> int:
            for part in reversed(parts):
                after = part(after)
            return after

        return build

    def _repeated(self, part: _Part) -> _Part:
        bounds = self._bounds()
        if bounds is None:
            return part
        self._accept("?")
        if self._peek() in ("*", "+", "?") or (self._peek() == "{" and self._is_bounds()):
            raise NotJudged("a pattern repeats a repetition")
        least, most = bounds

        def build(after: int) -> int:
            if most is None:
                loop = self._program.add("split", ())
                self._program.steps[loop] = ("split", (part(loop), after))
                after = loop
            else:
                last = after
                for _ in range(most - least):
                    after = self._program.add("split", (part(after), last))
            for _ in range(least):
                after = part(after)
            return after

        return build

    def _is_bounds(self) -> bool:
        at = self._at
        found = self._bounds() is not None
        self._at = at
        return found

    def _bounds(self) -> Optional[Tuple[int, Optional[int]]]:
        simple = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(self._peek())
        if simple is not None:
            self._at += 1
            return simple
        if self._peek() != "{":
            return None
        end = self._text.find("}", self._at)
        least, comma, most = self._text[self._at + 1 : max(end, 0)].partition(",")
        if end < 0 or not _is_count(least) or (most != "" and not _is_count(most)):
            return None
        self._at = end + 1
        upper = (int(most) if most else None) if comma else int(least)
        if int(least) > _MAX_REPEAT or (upper is not None and not int(least) <= upper <= _MAX_REPEAT):
            raise NotJudged("a pattern has bounds that RE2 refuses")
        return int(least), upper

    def _atom(self) -> Optional[_Part]:
        one = self._take()
        if one == "(":
            return self._group()
        if one == "[":
            return self._test(self._class())
        if one == ".":
            return self._test((lambda _: True) if self._flags.dot_all else (lambda other: other != "\n"))
        if one in "^$":
            line = "line " if self._flags.lines else ""
            return self._look(line + ("begin" if one == "^" else "end"))
        if one == "\\":
            return self._escape()
        if one in "*+?":
            raise NotJudged("a pattern repeats nothing")
        return self._test(self._character(one))

    def _group(self) -> Optional[_Part]:
        flags = self._flags
        if self._accept("?"):
            if self._accept("P<") or self._accept("<"):
                end = self._text.find(">", self._at)
                name = self._text[self._at : max(end, self._at)]
                if not name.isascii() or not name.replace("_", "a").isalnum():
                    raise NotJudged("a pattern has a group that is not judged here")
                self._at = end + 1
            else:
                changed = self._read_flags()
                if changed:
                    return None
        part = self._alternatives()
        if not self._accept(")"):
            raise NotJudged("a pattern has a ( without its )")
        self._flags = flags
        return part

    def _read_flags(self) -> bool:
        """``i:`` or ``i)``; True for the latter, which lasts until the end of the group around it."""
        before, value = self._flags, True
        while True:
            one = self._take()
            if one == "-" and value:
                value = False
            elif one in "ims":
                name = {"i": "fold", "m": "lines", "s": "dot_all"}[one]
                self._flags = self._flags._replace(**{name: value})
            elif one in ":)":
                self._program.folds = self._program.folds or self._flags.fold or before.fold
                return one == ")"
            else:
                raise NotJudged("a pattern has flags that are not judged here")

    def _escape(self) -> _Part:
        one = self._take()
        conditions = {"A": "begin", "z": "end", "b": "boundary", "B": "no boundary"}
        if one in conditions:
            return self._look(conditions[one])
        if one == "Q":
            end = self._text.find("\\E", self._at)
            quoted = self._text[self._at : end if end >= 0 else len(self._text)]
            if len(quoted) != 1:
                raise NotJudged("a pattern has a quotation")
            self._at = end + 2 if end >= 0 else len(self._text)
            return self._test(self._character(quoted))
        named = self._named_class(one)
        return self._test(named if named is not None else self._character(self._escaped(one)))

    def _named_class(self, one: str) -> Optional[Test]:
        if one in ("p", "P"):
            return self._property(one == "P")
        known = _PERL.get(one.lower())
        if known is None:
            return None
        return _ascii(known) if one.islower() else _not(_ascii(known))

    def _property(self, negated: bool) -> Test:
        name = self._take()
        if name == "{":
            end = self._text.find("}", self._at)
            name = self._text[self._at : max(end, self._at)]
            self._at = end + 1
        if name.startswith("^"):
            name, negated = name[1:], not negated
        if self._flags.fold or not 1 <= len(name) <= 2 or name[0] not in "LMNPSZC" or name[0] == "C":
            raise NotJudged("a pattern has a property of characters that is not judged here")

        def has(one: str) -> bool:
            category = unicodedata.category(one)
            if category == "Cn":
                raise NotJudged("a text has characters that this version of Unicode does not know")
            return category.startswith(name) != negated

        return has

    def _escaped(self, one: str) -> str:
        if one in _ESCAPES:
            return _ESCAPES[one]
        if one == "x":
            return self._hexadecimal()
        if one.isascii() and not one.isalnum():
            return one
        raise NotJudged("a pattern has an escape that is not judged here")

    def _hexadecimal(self) -> str:
        if self._accept("{"):
            end = self._text.find("}", self._at)
            digits, self._at = self._text[self._at : max(end, self._at)], end + 1
        else:
            digits = self._take() + self._take()
        if not digits or any(one not in "0123456789abcdefABCDEF" for one in digits) or int(digits, 16) > 0x10FFFF:
            raise NotJudged("a pattern has a code that is no character")
        return chr(int(digits, 16))

    def _class(self) -> Test:
        negated, first = self._accept("^"), True
        tests: List[Test] = []
        while first or not self._accept("]"):
            first = False
            tests.append(self._class_item())
        return (
            (lambda one: not any(test(one) for test in tests))
            if negated
            else (lambda one: any(test(one) for test in tests))
        )

    def _class_item(self) -> Test:
        if self._accept("[:"):
            negated, end = self._accept("^"), self._text.find(":]", self._at)
            known = _POSIX.get(self._text[self._at : max(end, self._at)])
            if known is None:
                raise NotJudged("a pattern has a class that is not judged here")
            if self._flags.fold:
                raise NotJudged("a pattern has a named class without regard to case")
            self._at = end + 2
            return _not(_ascii(known)) if negated else _ascii(known)
        one = self._take()
        if one == "\\":
            one = self._take()
            named = self._named_class(one)
            if named is not None:
                return named
            one = self._escaped(one)
        if self._peek() != "-" or self._text[self._at + 1 : self._at + 2] in ("]", ""):
            return self._character(one)
        self._at += 1
        last = self._take()
        if last == "\\":
            last = self._escaped(self._take())
        elif last == "[":
            raise NotJudged("a pattern has a range that is not judged here")
        if last < one:
            raise NotJudged("a pattern has a range that RE2 refuses")
        return self._range(one, last)

    def _range(self, first: str, last: str) -> Test:
        if not self._flags.fold:
            return lambda one: first <= one <= last
        if not last.isascii():
            raise NotJudged("a pattern has letters beyond ASCII without regard to case")
        return lambda one: any(first <= other <= last for other in (one, *_other_case(one)))

    def _character(self, wanted: str) -> Test:
        return self._range(wanted, wanted)

    def _test(self, test: Test) -> _Part:
        return lambda after: self._program.add("test", test, after)

    def _look(self, condition: str) -> _Part:
        return lambda after: self._program.add("look", condition, after)


def _other_case(one: str) -> Tuple[str, ...]:
    return (one.swapcase(),) if one.isascii() else ()


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 4


def _ascii(test: Test) -> Test:
    return lambda one: one.isascii() and test(one)


def _not(test: Test) -> Test:
    return lambda one: not test(one)

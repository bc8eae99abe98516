"""``python -m countersign verify FILE``: uses the file, the given keys and the given chain, and nothing else."""

from __future__ import annotations

import argparse
import sys
import unicodedata
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, NoReturn, Optional, Sequence, Tuple
from urllib.parse import urlsplit

EXIT_HOLDS, EXIT_WRONG, EXIT_UNCHECKED, EXIT_USAGE = 0, 1, 2, 64

_VERDICTS = {
    EXIT_HOLDS: "VERIFIED: all that was asked holds.",
    EXIT_WRONG: "REFUSED: do not rely on this file.",
    EXIT_UNCHECKED: "INTACT, but not everything was checked: see above.",
}
_WORSE = (EXIT_HOLDS, EXIT_UNCHECKED, EXIT_WRONG)
_SHOWN_PROBLEMS = 5
_LONGEST_LINE = 400
_MANIFEST = "series.json"
_MAX_FILE_BYTES = 256 * 1024 * 1024
_ENDS = (
    "Ends with 0: all that was asked holds; 1: something is wrong; 2: integrity only, the issuer, the chain or the "
    "pages of a PDF were not checked, or the chain leaves something open; 64: usage. With --redecide also with 1 where "
    "a verdict differs or a balance breaks, and with 2 where one is withheld, erased or not checked."
)


class _Usage(Exception):
    """Invalid arguments."""


class _Judged(NamedTuple):
    """A package that was verified, and what the command line says about it."""

    result: Any
    checked: List[str]
    not_checked: List[str]
    wrong: List[str]
    code: int


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _Usage(message)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs one command; returns the exit code."""
    try:
        options = _parser().parse_args(arguments)
        return _verify(options)
    except _Usage as error:
        print(f"countersign: {error}", file=sys.stderr)
        return EXIT_USAGE


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m countersign", description="Countersign for Python.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    verify = commands.add_parser(
        "verify",
        description="Checks a signed package, a series or a proof of absence, with nothing but file, keys and chain.",
        epilog=_ENDS,
    )
    verify.add_argument(
        "file",
        metavar="FILE",
        help="the signed package (JSON), the PDF that carries it, a proof of absence, or a series: its folder or file",
    )
    verify.add_argument("--key", action="append", default=[], metavar="PEM", help="public key that you trust (file)")
    verify.add_argument("--rpc", action="append", default=[], metavar="URL", help="Solana RPC that you trust")
    verify.add_argument(
        "--authority", action="append", default=[], metavar="ADDRESS", help="anchoring authority that you trust"
    )
    verify.add_argument(
        "--absence",
        action="append",
        default=[],
        metavar="FILE",
        help="proofs of absence, for windows that the package does not list",
    )
    verify.add_argument(
        "--walk", type=int, metavar="N", help="transactions of each authority that are listed at most; default 100000"
    )
    verify.add_argument(
        "--redecide", action="store_true", help="compute every verdict of the package again, and compare the balances"
    )
    return parser


def _verify(options: argparse.Namespace) -> int:
    try:
        from . import verify
        from .verify.pages import check_pages
        from .verify.pdf import PdfRefused, is_pdf, read_pdf
        from .verify.solana_rpc import ask_chain, bytes_of_base58
    except ImportError as error:
        raise _Usage(str(error)) from None
    for url in options.rpc:
        if urlsplit(url).scheme.lower() not in ("http", "https") or not urlsplit(url).hostname:
            raise _Usage(f"--rpc must be an http:// or https:// address, not {url}")
    for address in options.authority:
        if len(bytes_of_base58(address) or b"") != 32:
            raise _Usage(f"--authority must be a Solana address, not {address}")
    if options.authority and not options.rpc:
        raise _Usage("--authority needs --rpc: who anchored is read from the chain")
    if options.absence and not options.authority:
        raise _Usage("--absence needs --rpc and --authority: the chain vouches for what it proves")
    if options.walk is not None and options.walk < 1:
        raise _Usage("--walk must be a whole number from 1")
    keys = [_read_key(file) for file in options.key] or None
    absences = [absence for file in options.absence for absence in _read_absences(file)]
    bound = {} if options.walk is None else {"bound": options.walk}

    def ask(subject: Any) -> Any:
        named = verify.transactions_to_ask(subject)
        if not options.rpc:
            return None
        return ask_chain(options.rpc, named, options.authority, package=subject, absences=absences, **bound)

    def judge_package(data: bytes, package: Any, carried: Any) -> _Judged:
        facts = ask(package)
        result = verify.verify_package(package, keys, facts, absences)
        not_checked = list(result.not_checked)
        if result.issuer_checked and result.ok:
            not_checked.append(
                "whether the key was revoked: the key alone does not say, its issuer does (GET /v1/keys)"
            )
        checked, problems, code = list(result.checked), list(result.problems), _exit_code(result, facts)
        code = _judge_pages(data, package, carried, code, checked, not_checked, problems)
        wrong = list(map(str, problems))
        if options.redecide:
            code = max((code, _redecide(package, checked, not_checked, wrong)), key=_WORSE.index)
        return _Judged(result, checked, not_checked, wrong, code)

    def _judge_pages(
        data: bytes, package: Any, carried: Any, code: int, checked: List[str], not_checked: List[str], wrong: List[Any]
    ) -> int:
        if carried is None:
            return code
        pages = check_pages(data, carried.signature, package, keys)
        checked += pages.checked
        not_checked += pages.not_checked
        wrong[:0] = pages.problems
        if pages.problems:
            return EXIT_WRONG
        return EXIT_UNCHECKED if pages.verdict != "issued" and code == EXIT_HOLDS else code

    def read(file: Path) -> Any:
        data = _read(str(file), "file")
        carried = read_pdf(data) if is_pdf(data) else None
        return data, verify.parse_json_strict(data if carried is None else carried.package), carried

    file = Path(options.file)
    is_folder = file.is_dir()
    if is_folder:
        file = file / _MANIFEST
        if not file.is_file():
            raise _Usage(
                f"{options.file} holds no {_MANIFEST}: name the folder that countersign export wrote, or a file"
            )
    try:
        data, package, carried = read(file)
    except (verify.JsonRefused, PdfRefused) as error:
        return _print(options.file, [], [], [f"the file is not a package: {error}"], EXIT_WRONG)
    kind = package.get("kind") if isinstance(package, dict) else None
    if kind == "series":
        run = verify.SeriesRun(package, keys, ask(package))
        checked, not_checked, wrong, code = _add_packages(run, file, is_folder, read, judge_package)
        result = run.finish()
        problems = list(result.problems)
        own = _exit_code(result, options.rpc or None)
        own = _judge_pages(data, package, carried, own, checked, not_checked, problems)
        wrong = [*map(str, problems), *wrong]
        code = EXIT_WRONG if wrong else max((code, own), key=_WORSE.index)
        checked, not_checked = [*result.checked, *checked], [*result.not_checked, *not_checked]
        return _print(options.file, checked, not_checked, wrong, code, facts=run.changes)
    if is_folder:
        return _print(options.file, [], [], [f"{_MANIFEST} is not a series"], EXIT_WRONG)
    if carried is None and kind == "absence":
        return _absence(options.file, verify.verify_absence(package, ask(package)))
    judged = judge_package(data, package, carried)
    return _print(options.file, judged.checked, judged.not_checked, judged.wrong, judged.code)


def _add_packages(
    run: Any, manifest: Path, is_folder: bool, read: Callable[[Path], Any], judge: Callable[[bytes, Any, Any], _Judged]
) -> Tuple[List[str], List[str], List[str], int]:
    """Adds the packages beside a manifest, one at a time: all of a folder, else those that it lists."""
    listed = {entry["reportId"] for entry in run.listed}
    not_checked: Dict[str, None] = {}
    wrong: List[str] = []
    code = EXIT_HOLDS
    found = (one for one in manifest.parent.iterdir() if one.suffix.lower() in (".json", ".pdf"))
    for file in sorted(found) if listed else []:
        # A link may lead out of the folder.
        if file.stem == manifest.stem or file.is_symlink() or not file.is_file():
            continue
        try:
            data, package, carried = read(file)
        except (ValueError, _Usage) as error:
            if is_folder:
                wrong.append(f"{file.name}: {error}")
            continue
        if not isinstance(package, dict) or not {"reportId", "inclusionProofs"} <= package.keys():
            continue
        report_id = package["reportId"]
        if not is_folder and not (isinstance(report_id, str) and report_id in listed):
            continue
        judged = judge(data, package, carried)
        run.add(package, judged.result)
        wrong += [f"{file.name}: {problem}" for problem in judged.wrong[:3]]
        not_checked.update(dict.fromkeys(f"of packages: {line}" for line in judged.not_checked))
        if judged.result.vouched.issuer and judged.code == EXIT_UNCHECKED:
            code = EXIT_UNCHECKED
    return [], list(not_checked)[:20], wrong, code


def _redecide(package: Any, checked: List[str], not_checked: List[str], wrong: List[str]) -> int:
    """Adds what re-decision found; its exit code."""
    from .redecide import redecide, wrong_statement

    try:
        done = redecide(package)
        stated = wrong_statement(package, done)
    except (KeyError, TypeError, ValueError, AttributeError):
        not_checked.append("the verdicts: the package is malformed")
        return EXIT_UNCHECKED
    totals = done.totals()
    checked.append(f"{len(done.checks)} verdicts, of which {totals['same']} are the same when they are computed again")
    for one in done.checks:
        text = f"verdict {one.verdict} ({one.reason}): event {one.event_id}, {one.words}"
        if one.verdict == "different":
            wrong.append(text)
        elif one.verdict != "same":
            not_checked.append(text if one.reason is not None else f"verdict {one.verdict}: event {one.event_id}")
    for agent in done.agents:
        wrong += [f"balance of agent {agent.agent_id} at event {one.sequence}: {one.reason}" for one in agent.breaks]
        if agent.balances == "not_checked":
            not_checked.append(f"balances of agent {agent.agent_id}: no check shows its context")
        elif agent.missing > 0:
            not_checked.append(f"balances of agent {agent.agent_id}: {agent.missing} of its checks are not shown")
        elif not agent.breaks:
            checked.append(f"the balances of agent {agent.agent_id} are continuous")
    wrong += [f"the package states another {member} than its verdicts have" for member in stated or ()]
    if done.wrong or stated:
        return EXIT_WRONG
    return EXIT_HOLDS if done.complete else EXIT_UNCHECKED


def _absence(file: str, result: Any) -> int:
    """A proof of absence is not signed: it rests on the chain and on who anchored."""
    code = EXIT_WRONG if not result.ok else EXIT_HOLDS if result.vouched.anchor else EXIT_UNCHECKED
    return _print(file, result.checked, result.not_checked, list(map(str, result.problems)), code)


def _exit_code(result: Any, facts: Any) -> int:
    if not result.ok:
        return EXIT_WRONG
    # A chain that was not asked for is not required; one that was must vouch, and leave nothing open.
    holds = result.vouched.issuer and (facts is None or (result.vouched.anchor and not result.unsettled))
    return EXIT_HOLDS if holds else EXIT_UNCHECKED


def _read_absences(file: str) -> List[Any]:
    """The proofs of a file: one, or a list of them."""
    from .verify import JsonRefused, parse_json_strict

    try:
        found = parse_json_strict(_read(file, "proofs"))
    except JsonRefused:
        found = None
    if isinstance(found, list):
        return found
    if isinstance(found, dict) and found.get("kind") == "absence":
        return [found]
    raise _Usage(f"{file} holds no proofs of absence")


def _read_key(file: str) -> Any:
    from .verify import VerificationKey

    try:
        return VerificationKey.from_pem(_read(file, "key").decode("utf-8"))
    except ValueError:
        raise _Usage(f"{file} is not an Ed25519 public key in PEM") from None


def _read(file: str, what: str) -> bytes:
    path = Path(file)
    try:
        if not path.is_file() or path.stat().st_size > _MAX_FILE_BYTES:
            raise _Usage(f"cannot read the {what} {file}")
        return path.read_bytes()
    except OSError:
        raise _Usage(f"cannot read the {what} {file}") from None


def _print(
    file: str,
    checked: List[str],
    not_checked: List[str],
    problems: List[str],
    code: int,
    *,
    facts: Sequence[str] = (),
) -> int:
    lines = [file, *(f"  {_one_line(fact)}" for fact in facts)]
    for title, mark, items in (("Checked", "ok", checked), ("Not checked", "--", not_checked)):
        if items:
            lines += ["", title, *(f"  {mark}  {_one_line(item)}" for item in items)]
    if problems:
        lines += ["", "Wrong", *(f"  !!  {_one_line(item)}" for item in problems[:_SHOWN_PROBLEMS])]
        if len(problems) > _SHOWN_PROBLEMS:
            lines.append(f"      and {len(problems) - _SHOWN_PROBLEMS} more")
    print("\n".join([*lines, "", _VERDICTS[code]]))
    return code


def _one_line(text: str) -> str:
    """Reduces untrusted text to one line without control characters."""
    plain = "".join("\ufffd" if unicodedata.category(one) in ("Cc", "Cf", "Zl", "Zp", "Cs") else one for one in text)
    return plain if len(plain) <= _LONGEST_LINE else f"{plain[:_LONGEST_LINE]}…"

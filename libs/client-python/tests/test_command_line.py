"""``python -m countersign verify``: its exit codes, and that it claims no more than it checked."""

from __future__ import annotations

import base64
import copy
import json
import os
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any, Dict, Tuple

import mutations
import pytest
import vectors

from countersign.command_line import main
from countersign.verify.solana_rpc import SolanaRpc

VECTOR = vectors.load("valid-small.json")


@pytest.fixture
def files(tmp_path: Path) -> Tuple[str, str]:
    """A valid package, and its key."""
    package, key = tmp_path / "report.json", tmp_path / "key.pem"
    package.write_text(json.dumps(VECTOR["package"]), "utf-8")
    key.write_text(VECTOR["keys"][0]["pem"], "utf-8")
    return str(package), str(key)


def test_without_a_key_the_issuer_was_not_checked(files: Tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", files[0]]) == 2
    assert "--  the issuer: no key was given" in capsys.readouterr().out


def test_with_the_key_it_holds(files: Tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", files[0], "--key", files[1]]) == 0
    out = capsys.readouterr().out
    assert "--  whether the key was revoked" in out
    assert out.endswith("VERIFIED: all that was asked holds.\n")


def test_without_an_authority_or_an_answer_not_all_was_checked(files: Tuple[str, str]) -> None:
    unreachable = ["--rpc", "http://127.0.0.1:1"]
    assert main(["verify", files[0], "--key", files[1], *unreachable]) == 2
    authority = ["--authority", "11111111111111111111111111111111"]
    assert main(["verify", files[0], "--key", files[1], *unreachable, *authority]) == 2


def test_a_chain_vouches_for_nothing_where_nothing_is_on_it(
    files: Tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    package = copy.deepcopy(VECTOR["package"])
    package.update(agents=[], events=[], inclusionProofs=[], windows=[])
    counted: Dict[str, Any] = {name: 0 if isinstance(value, int) else {} for name, value in package["summary"].items()}
    package["summary"] = {**counted, "outcomes": {"reported": 0, "of": 0}}
    mutations.sign(package)
    Path(files[0]).write_text(json.dumps(package), "utf-8")
    Path(files[1]).write_text(mutations.PEM, "utf-8")
    monkeypatch.setattr(SolanaRpc, "network", lambda _: "solana:devnet")
    assert main(["verify", files[0], "--key", files[1]]) == 0
    chain = ["--rpc", "http://127.0.0.1:1", "--authority", "11111111111111111111111111111111"]
    assert main(["verify", files[0], "--key", files[1], *chain]) == 2


@pytest.mark.parametrize("change", ["12A", "Satisfied", "soc2"])
def test_a_changed_package_is_refused(files: Tuple[str, str], change: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = Path(files[0])
    file.write_text(file.read_text("utf-8").replace(change, f"{change}\u202e", 1), "utf-8")
    assert main(["verify", str(file), "--key", files[1]]) == 1
    out = capsys.readouterr().out
    assert "[signature-invalid]" in out
    assert "REFUSED" in out
    assert "\u202e" not in out


@pytest.mark.parametrize(("name", "code"), [("absence-valid.json", 2), ("absence-present-skipped.json", 1)])
def test_a_proof_of_absence_is_verified_and_no_package(
    tmp_path: Path, name: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "absence.json"
    file.write_text(json.dumps(vectors.load(name)["absence"]), "utf-8")
    assert main(["verify", str(file)]) == code
    assert ("[absence-neighbours-apart]" if code == 1 else "without it nothing is proven") in capsys.readouterr().out


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xef\xbb\xbf{}", b"%PDF-1.7\n", b'{"a":1,"a":1}', b"\xff"])
def test_what_is_no_package_is_refused(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "report.json"
    file.write_bytes(data)
    assert main(["verify", str(file)]) == 1


def test_usage(files: Tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    package, key = files
    for arguments in (
        [],
        ["verify"],
        ["prove", package],
        ["verify", str(tmp_path / "missing.json")],
        ["verify", str(tmp_path)],
        ["verify", package, "--key", package],
        ["verify", package, "--key", str(tmp_path / "missing.pem")],
        ["verify", package, "--key", key, "--rpc", "ftp://127.0.0.1"],
        ["verify", package, "--key", key, "--rpc", "http://127.0.0.1:1", "--authority", "0OIl"],
        ["verify", package, "--key", key, "--authority", "11111111111111111111111111111111"],
        ["verify", package, "--unknown"],
    ):
        assert main(arguments) == 64, arguments
    assert capsys.readouterr().out == ""


def test_a_module_ends_with_the_same_code(files: Tuple[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "countersign", "verify", files[0]],
        env={**os.environ, "PYTHONPATH": str(vectors.REPOSITORY / "libs" / "client-python" / "src")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "INTACT" in done.stdout


def _pdf(package: Any, **changes: Any) -> bytes:
    content = zlib.compress(json.dumps(package).encode())
    length = changes.get("length", len(content))
    date = "(D:20260301120000Z)"
    params = f"<<\n/CreationDate {date}\n/ModDate {date}\n/CheckSum ({'0' * 32})\n/Size 1\n>>"
    media = "/Subtype /application#2Fjson"
    file = f"<<\n/Type /EmbeddedFile\n/Params {params}\n{media}\n/Length {length}\n/Filter /FlateDecode\n>>\nstream\n"
    names = "/F (a)\n/EF <<\n/F 1 0 R\n>>\n/UF (a)\n/Desc (b)"
    objects = [
        file.encode() + content + b"\nendstream",
        f"<<\n/Type /Filespec\n/AFRelationship /Source\n{names}\n>>".encode(),
    ]
    whole = b"%PDF-1.7\n%\xff\xff\xff\xff\n"
    table = b"xref\n0 3\n0000000000 65535 f \n"
    for number, body in enumerate(objects, 1):
        table += b"%010d 00000 n \n" % len(whole)
        whole += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    trailer = b"trailer\n<<\n/Size 3\n/Root 1 0 R\n/Info 2 0 R\n/ID [<ab> <ab>]\n>>\nstartxref\n%d\n%%%%EOF\n"
    return (whole + table + trailer % len(whole)) * int(changes.get("times", 1))


def test_the_package_in_a_pdf_is_verified(files: Tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    Path(files[0]).write_bytes(_pdf(VECTOR["package"]))
    assert main(["verify", files[0], "--key", files[1]]) == 2
    assert "the package is verified, its pages are not" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("report-signed", 0, "every byte of the PDF, its pages with them: signed by key_"),
        ("report-unsigned", 2, "the package is verified, its pages are not"),
        ("report-page-changed", 1, "the pages are not those that were issued"),
        ("report-signature-removed", 1, "the pages are not those that were issued"),
        ("signed-action-openaction", 1, "the pages are not those that were issued"),
    ],
)
def test_the_pages_of_a_pdf(
    files: Tuple[str, str], capsys: pytest.CaptureFixture[str], name: str, code: int, message: str
) -> None:
    vector = json.loads((vectors.FOLDER / "pdf" / f"{name}.json").read_bytes())
    Path(files[0]).write_bytes(base64.b64decode(vector["pdf"]))
    Path(files[1]).write_text(vector["keys"][0], "utf-8")
    assert main(["verify", files[0], "--key", files[1]]) == code
    assert message in capsys.readouterr().out
    assert main(["verify", files[0]]) == (1 if name == "report-signature-removed" or "action" in name else 2)


def test_a_pdf_carries_no_proof_of_absence(files: Tuple[str, str]) -> None:
    Path(files[0]).write_bytes(_pdf(vectors.load("absence-valid.json")["absence"]))
    assert main(["verify", files[0]]) == 1


@pytest.mark.parametrize("changes", [{"length": 5}, {"length": 10**9}, {"times": 2}])
def test_a_pdf_that_is_not_whole_is_refused(files: Tuple[str, str], changes: Any) -> None:
    Path(files[0]).write_bytes(_pdf(VECTOR["package"], **changes))
    assert main(["verify", files[0], "--key", files[1]]) == 1

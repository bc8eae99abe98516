"""Series: the vectors of libs/evidence, and the command line."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Dict, List

import pytest
import vectors

from countersign.command_line import main
from countersign.verify import PROBLEM_CODES, parse_json_strict, verify_package, verify_series
from countersign.verify.series_changes import change_lines

FOLDER = vectors.FOLDER / "series"
NAMES = sorted(path.name for path in FOLDER.glob("*.json"))


def load(name: str) -> Any:
    return parse_json_strict((FOLDER / name).read_bytes())


@pytest.mark.parametrize("name", NAMES)
def test_a_vector_is_judged_as_it_says(name: str) -> None:
    vector = load(name)
    keys = [vectors.key_of(one) for one in vector["keys"]]
    chain = vectors.facts_of(vector["chain"])
    packages = [(package, verify_package(package, keys, chain)) for package in vector["packages"]]
    result = verify_series(vector["series"], packages, keys, chain)
    verdict = {"ok": result.ok, "firstProblem": result.first_problem, "vouched": asdict(result.vouched)}
    assert verdict == vector["expected"], [str(problem) for problem in result.problems]


def test_every_problem_has_a_vector() -> None:
    named = {load(name)["expected"]["firstProblem"] for name in NAMES}
    assert {code for code in PROBLEM_CODES if code.startswith("series-")} <= named


@pytest.mark.parametrize("value", [None, [], "series", 1, {}, {"kind": "series"}, {"schemaVersion": "series-1.0.0"}])
def test_what_is_no_series_is_a_problem_and_never_raises(value: object) -> None:
    assert not verify_series(value, [(value, verify_package(value))]).ok


def test_each_missing_or_malformed_member_is_named() -> None:
    series = load("valid-three.json")["series"]
    for name in series:
        if name in ("sha256", "signature", "algorithm", "publicKeyUrl", "canonicalization", "schemaVersion"):
            continue
        assert not verify_series({key: value for key, value in series.items() if key != name}, []).ok


def _written(name: str, folder: Path) -> Path:
    vector = load(name)
    (folder / "series.json").write_text(json.dumps(vector["series"]))
    (folder / "key.pem").write_text(vector["keys"][0]["pem"])
    for index, package in enumerate(vector["packages"]):
        (folder / f"package-{index}.json").write_text(json.dumps(package))
    return folder


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("valid-three.json", 0, "nothing lies between packages"),
        ("package-missing.json", 1, "[series-package-missing]"),
        ("of-another-account.json", 1, "[series-package-unlisted]"),
        ("totals-differ.json", 1, "[series-totals-differ]"),
        ("totals-too-large.json", 1, "[series-totals-differ]"),
    ],
)
def test_the_command_line_takes_a_folder(
    name: str, code: int, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = _written(name, tmp_path)
    assert main(["verify", str(folder), "--key", str(folder / "key.pem")]) == code
    assert words in capsys.readouterr().out


def test_the_command_line_takes_a_manifest_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = _written("valid-alone.json", tmp_path)
    assert main(["verify", str(folder / "series.json"), "--key", str(folder / "key.pem")]) == 2
    assert "none was given" in capsys.readouterr().out


@pytest.mark.parametrize("report_id", [[], {}, None, 1.5])
def test_a_file_beside_it_whose_id_is_no_text_is_judged(
    report_id: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = _written("valid-three.json", tmp_path)
    (folder / "other.json").write_text(json.dumps({"reportId": report_id, "inclusionProofs": []}))
    key = ["--key", str(folder / "key.pem")]
    # Beside a manifest that was named it is another file; in a folder it is one that the series does not list.
    assert main(["verify", str(folder / "series.json"), *key]) == 0
    capsys.readouterr()
    assert main(["verify", str(folder), *key]) == 1
    assert "[series-package-unlisted]" in capsys.readouterr().out


def test_a_link_in_the_folder_is_not_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "series").mkdir()
    folder = _written("valid-three.json", tmp_path / "series")
    outside = tmp_path / "package-1.json"
    (folder / "package-1.json").rename(outside)
    (folder / "package-1.json").symlink_to(outside)
    (folder / "nowhere.json").symlink_to(tmp_path / "nowhere")
    assert main(["verify", str(folder), "--key", str(folder / "key.pem")]) == 1
    out = capsys.readouterr().out
    assert "[series-package-missing]" in out
    assert "nowhere" not in out


def test_the_command_line_shows_the_changes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = _written("valid-change-stated.json", tmp_path)
    changes = load("valid-change-stated.json")["series"]["changes"]
    assert changes
    assert main(["verify", str(folder), "--key", str(folder / "key.pem")]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[1 : 1 + len(changes)] == [
        f"  {change['member']} changed with report {change['reportId']}" for change in changes
    ]


def test_changes_of_agents_and_scope_come_first_and_none_is_left_out_unsaid() -> None:
    def of(member: str, count: int) -> List[Dict[str, str]]:
        return [{"reportId": f"{member}-{index}", "member": member} for index in range(count)]

    lines = change_lines([*of("mapping", 30), *of("agents", 9), *of("scope", 3)])
    assert [line.split(" ")[0] for line in lines[:10]] == ["agents"] * 9 + ["scope"]
    assert lines[0] == "agents changed with report agents-0"
    assert lines[10:] == ["and 32 more changes: scope 2, mapping 30"]
    assert len(change_lines(of("scope", 10))) == 10
    assert change_lines([]) == []


def test_a_folder_without_a_series_is_a_wrong_use(tmp_path: Path) -> None:
    assert main(["verify", str(tmp_path)]) == 64

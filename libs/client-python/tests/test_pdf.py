"""The vectors of PDFs: which attachment is read, and which files are not reports."""

from __future__ import annotations

import base64
import json
import random
import re

import pytest
import vectors

from countersign.verify import VerificationKey
from countersign.verify.pages import check_pages
from countersign.verify.pdf import PdfRefused, _bare, package_in_pdf, read_pdf

FOLDER = vectors.FOLDER / "pdf"
NAMES = sorted(path.name for path in FOLDER.glob("*.json"))


@pytest.mark.parametrize("name", NAMES)
def test_a_vector_is_read_as_it_says(name: str) -> None:
    vector = json.loads((FOLDER / name).read_bytes())
    expected = vector["expected"]["package"]
    data = base64.b64decode(vector["pdf"])
    if expected is None:
        with pytest.raises(PdfRefused):
            package_in_pdf(data)
        return
    carried = read_pdf(data)
    assert (carried.package.decode(), package_in_pdf(data)) == (expected, carried.package)
    if "keys" in vector:
        keys = None if vector["keys"] is None else [VerificationKey.from_pem(pem) for pem in vector["keys"]]
        pages = check_pages(data, carried.signature, json.loads(carried.package), keys)
        assert pages.verdict == vector["expected"]["pages"]
        assert [one.code for one in pages.problems] == (["pages-differ"] if pages.verdict == "differ" else [])


def test_a_byte_of_a_signed_file_that_was_changed_is_seen() -> None:
    vector = json.loads((FOLDER / "signed.json").read_bytes())
    data, keys = base64.b64decode(vector["pdf"]), [VerificationKey.from_pem(pem) for pem in vector["keys"]]
    for at in range(0, len(data), 7):
        changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        try:
            carried = read_pdf(changed)
            verdict = check_pages(changed, carried.signature, json.loads(carried.package), keys).verdict
        except ValueError:
            verdict = "differ"
        assert verdict == "differ", at


def test_there_are_sound_and_refused_ones() -> None:
    sound = [name for name in NAMES if name.startswith("valid")]
    assert sound
    assert len(NAMES) > len(sound) + 20


def titled(title: bytes) -> bytes:
    """The vector of a valid report, whose fourth object is replaced by a text."""
    data = base64.b64decode(json.loads((FOLDER / "valid.json").read_bytes())["pdf"])
    begin, table_at = data.index(b"4 0 obj\n"), data.rindex(b"xref\n0 ")
    end = data.index(b"\nendobj\n", begin) + len(b"\nendobj\n")
    object_ = b"4 0 obj\n(" + title + b")\nendobj\n"
    moved = len(object_) - (end - begin)
    objects = data[:begin] + object_ + data[end:table_at]
    table = re.sub(
        rb"(\d{10}) 00000 n",
        lambda entry: b"%010d 00000 n" % (int(entry[1]) + (moved if int(entry[1]) > begin else 0)),
        data[table_at : data.rindex(b"startxref\n")],
    )
    return objects + table + b"startxref\n%d\n%%%%EOF\n" % len(objects)


@pytest.mark.parametrize("part", [b"x", b"\\n", b"\\(\\)"])
def test_strings_have_65536_characters_at_most(part: bytes) -> None:
    most = 2**15 if part == b"\\(\\)" else 2**16
    assert package_in_pdf(titled(part * most)) == package_in_pdf(titled(b"short"))
    for refused in (part * most + b"x", part * 2**21, part * 2**21 + b"("):
        with pytest.raises(PdfRefused):
            package_in_pdf(titled(refused))


def test_lists_may_be_long_and_strings_many() -> None:
    for value in (b"\n(a) " * 2**18, b"20 0 R " * 2**20):
        assert package_in_pdf(titled(b") " + value + b" (")) == package_in_pdf(titled(b"short"))


def test_strings_are_separated_from_their_context() -> None:
    """Compares with a search for the end of each string, which takes too long if there is none."""
    whole = re.compile(rb"\((?:[^()\\\n\r]|\\[nrtbf()\\])*\)")
    unended = re.compile(rb"\((?!\))")
    chosen, seen = random.Random(7), set()
    for _ in range(5_000):
        text = bytes(chosen.choices(b"()\\nx\n", k=chosen.randrange(12)))
        expected, found = whole.sub(b"()", text), _bare(text)
        is_whole = unended.search(expected) is None
        seen.add(is_whole)
        assert (found == expected) if is_whole else unended.search(found), text
    assert seen == {True, False}

"""The vectors of PDFs: which attachment is read, and which files are none of a report."""

from __future__ import annotations

import base64
import json

import pytest
import vectors

from countersign.verify.pdf import PdfRefused, package_in_pdf

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
    else:
        assert package_in_pdf(data).decode() == expected


def test_there_are_sound_and_refused_ones() -> None:
    sound = [name for name in NAMES if name.startswith("valid")]
    assert sound
    assert len(NAMES) > len(sound) + 20

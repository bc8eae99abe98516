"""The signed package that a report's PDF carries."""

from __future__ import annotations

import re
import zlib

from .strict_json import MAX_BYTES

_HEAD = b"%PDF-"
_ATTACHMENT = b"/Type /EmbeddedFile"
_STREAM = b"\nstream\n"
_END = b"endstream"
_LENGTH = re.compile(rb"/Length (\d{1,10})")


class PdfRefused(ValueError):
    """The PDF does not carry exactly one package that can be read."""


def is_pdf(data: bytes) -> bool:
    """Whether a file says of itself that it is a PDF."""
    return data.startswith(_HEAD)


def package_in_pdf(data: bytes) -> bytes:
    """The one attachment of a report's PDF; it reads what is issued as a report, not any PDF.

    :raises PdfRefused: there is not exactly one, it does not end where it says, or it is larger than 64 MiB
    """
    at = data.find(_ATTACHMENT)
    if at < 0:
        raise PdfRefused("the PDF has no package attached")
    if data.find(_ATTACHMENT, at + 1) >= 0:
        raise PdfRefused("the PDF has more than one attachment: which is meant is open")
    stream = data.find(_STREAM, at)
    dictionary = data[at:stream] if stream >= 0 else b""
    length = _LENGTH.search(dictionary)
    begin = stream + len(_STREAM)
    if length is None or b"endobj" in dictionary:
        raise PdfRefused("the attachment of the PDF cannot be read")
    end = begin + int(length.group(1))
    if data[end : end + len(_END) + 2].strip() != _END:
        raise PdfRefused("the attachment of the PDF does not end where it says")
    content = data[begin:end]
    return _inflated(content) if b"/FlateDecode" in dictionary else content


def _inflated(content: bytes) -> bytes:
    inflater = zlib.decompressobj()
    try:
        plain = inflater.decompress(content, MAX_BYTES)
    except zlib.error:
        raise PdfRefused("the attachment of the PDF cannot be read") from None
    if inflater.unconsumed_tail or not inflater.eof:
        raise PdfRefused("the attachment of the PDF is cut off, or larger than 64 MiB")
    return plain

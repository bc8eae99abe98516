"""The signed package embedded in a report's PDF."""

from __future__ import annotations

import re
import zlib
from typing import Dict, List, NamedTuple, Optional, Tuple

from .strict_json import MAX_BYTES

_HEAD = re.compile(rb"%PDF-1\.[3-7]\n%\xff{4}\n")
_TAIL = re.compile(rb"\nstartxref\n(\d{1,10})\n%%EOF\n\Z")
_XREF = re.compile(rb"xref\n0 (\d{1,9})\n0000000000 65535 f \n")
_ENTRY = re.compile(rb"(\d{10}) 00000 n \n")
_ENTRY_BYTES = 20
_TRAILER = re.compile(
    rb"trailer\n<<\n/Size (\d{1,9})\n/Root \d{1,9} 0 R\n/Info \d{1,9} 0 R\n"
    rb"/ID \[<[0-9a-fA-F]*> <[0-9a-fA-F]*>\]\n"
    rb"(?:/CountersignKey \((key_[0-9a-f]{16})\)\n/CountersignSignature <([0-9a-f]{128})>\n)?"
    rb">>\nstartxref\n\d{1,10}\n%%EOF\n\Z"
)
_STREAM = b"\nstream\n"
_END_OF_STREAM = b"\nendstream\nendobj\n"
_END = b"\nendobj\n"
# String syntax as written: what could end a string is escaped, and so are line breaks.
_BEGUN = rb"\((?:[^()\\\n\r]|\\[nrtbf()\\]){0,65536}"
_TEXT = _BEGUN + rb"\)"
# With or without its end, so that none is searched twice; one without an end leaves a character that is refused.
_STRING = re.compile(_BEGUN + rb"(\)?)")
_LENGTH = re.compile(rb"/Length (\d{1,10})(?![^\n>])")
# A comment, an unterminated string, a keyword; a name spelled by numbers, other than that of a media type.
# White space is the six bytes of ISO 32000, not that of the regular expression.
_FOREIGN = re.compile(
    rb"[%\\]|\((?!\))|(?<!\()\)|#(?!2F)|"
    rb"(?<![^\x00\t\n\f\r >\])])(?:end)?(?:obj|stream)(?![^\x00\t\n\f\r <\[(/])"
)
# Triggers actions of a reader, or shows content that is not drawn on a page.
_ACTIONS = re.compile(
    rb"/(OpenAction|AA|JavaScript|JS|Launch|SubmitForm|ImportData|XFA|RichMedia)(?![^\x00\t\n\f\r ()<>\[\]{}/%])"
)
_NOT_ISSUED = "so the pages are not those that were issued"
_MARKS = re.compile(rb"/(EF|EmbeddedFile|RF|FileAttachment|ObjStm|XRef|Encrypt)(?![^\x00\t\n\f\r ()<>\[\]{}/%])")
_FILE_SPECIFICATION = re.compile(
    rb"<<\n/Type /Filespec\n/AFRelationship /Source\n/F " + _TEXT + rb"\n/EF <<\n/F (\d{1,9}) 0 R\n>>\n"
    rb"/UF " + _TEXT + rb"\n/Desc " + _TEXT + rb"\n>>"
)
_EMBEDDED_FILE = re.compile(
    rb"<<\n/Type /EmbeddedFile\n/Params <<\n/CreationDate \(D:\d{14}Z\)\n/ModDate \(D:\d{14}Z\)\n"
    rb"/CheckSum \([0-9a-f]{32}\)\n/Size \d{1,10}\n>>\n/Subtype /application#2Fjson\n/Length \d{1,10}\n"
    rb"(/Filter /FlateDecode\n)?>>"
)


class PdfRefused(ValueError):
    """The PDF is not one of a report, or does not contain exactly one readable package."""


class PdfSignature(NamedTuple):
    """The signature of a file's bytes, as its trailer names it."""

    key_id: str
    signature: bytes
    # Where its hex digits begin; there are 128.
    at: int


class PdfContent(NamedTuple):
    """Contents of a report's PDF: the package, and ``None`` for a file that is not signed."""

    package: bytes
    signature: Optional[PdfSignature]


class _PdfObject(NamedTuple):
    id: int
    text: bytes
    # `text` with each string as `()`.
    bare: bytes
    stream: Optional[bytes]


def is_pdf(data: bytes) -> bool:
    """True if a file is marked as a PDF."""
    return data.startswith(b"%PDF-")


def read_pdf(data: bytes) -> PdfContent:
    """The only attachment of a report's PDF, and its signature; reads PDFs issued as reports, and no others.

    Every byte belongs to one object of the single table, so no viewer can find another attachment.

    :raises PdfRefused: it has another layout, there is not exactly one attachment, or it is larger than 64 MiB
    """
    marks: List[bytes] = []
    embedded: Dict[int, Tuple[bytes, bool]] = {}
    named: Optional[int] = None
    objects, signature = _objects(data)
    for one in objects:
        action = _ACTIONS.search(one.bare)
        if action is not None:
            raise PdfRefused(f"the PDF holds /{action.group(1).decode()}, which reports do not, {_NOT_ISSUED}")
        marks.extend(_MARKS.findall(one.bare))
        specification = _FILE_SPECIFICATION.fullmatch(one.text)
        if specification is not None:
            named = int(specification.group(1))
        file = _EMBEDDED_FILE.fullmatch(one.text) if one.stream is not None else None
        if file is not None and one.stream is not None:
            embedded[one.id] = (one.stream, file.group(1) is not None)
    if not marks:
        raise PdfRefused("the PDF has no package attached")
    if sorted(marks) != [b"EF", b"EmbeddedFile"]:
        raise PdfRefused(
            "the PDF has more than one attachment, or other parts than reports have: which is meant is open"
        )
    if named is None or named not in embedded:
        raise PdfRefused("the attachment of the PDF cannot be read")
    content, deflated = embedded[named]
    return PdfContent(_inflated(content) if deflated else content, signature)


def package_in_pdf(data: bytes) -> bytes:
    """The package of :func:`read_pdf`."""
    return read_pdf(data).package


def _objects(data: bytes) -> Tuple[List[_PdfObject], Optional[PdfSignature]]:
    tail = _TAIL.search(data[-64:])
    table_at = int(tail.group(1)) if tail is not None else len(data)
    offsets, signature = _table(data, table_at)
    in_order = sorted((offset, number) for number, offset in enumerate(offsets, 1))
    if _HEAD.fullmatch(data[: in_order[0][0]]) is None:
        raise _other_layout()
    ends = [offset for offset, _ in in_order[1:]] + [table_at]
    return [_object(data[offset:end], number) for (offset, number), end in zip(in_order, ends)], signature


def _table(data: bytes, table_at: int) -> Tuple[List[int], Optional[PdfSignature]]:
    head = _XREF.match(data, table_at)
    if head is None:
        raise _other_layout()
    count = int(head.group(1)) - 1
    begin = head.end()
    end = begin + count * _ENTRY_BYTES
    trailer = _TRAILER.match(data, end) if count >= 1 and end <= len(data) else None
    if trailer is None or int(trailer.group(1)) != count + 1:
        raise _other_layout()
    offsets = []
    for at in range(begin, end, _ENTRY_BYTES):
        entry = _ENTRY.fullmatch(data, at, at + _ENTRY_BYTES)
        if entry is None:
            raise _other_layout()
        offsets.append(int(entry.group(1)))
    _, key_id, digits = trailer.groups()
    if key_id is None:
        return offsets, None
    return offsets, PdfSignature(key_id.decode(), bytes.fromhex(digits.decode()), trailer.start(3))


def _object(region: bytes, number: int) -> _PdfObject:
    head = b"%d 0 obj\n" % number
    if not region.startswith(head):
        raise _other_layout()
    stream_at = region.find(_STREAM, len(head))
    stream = None
    if stream_at < 0:
        end = len(region) - len(_END)
        if end < len(head) or not region.endswith(_END):
            raise _other_layout()
        text = region[len(head) : end]
    else:
        text = region[len(head) : stream_at]
        length = _LENGTH.search(_bare(text))
        begin = stream_at + len(_STREAM)
        end = begin + int(length.group(1)) if length is not None else -1
        if region[end:] != _END_OF_STREAM or end < begin:
            raise _other_layout()
        stream = region[begin:end]
    bare = _bare(text)
    if _FOREIGN.search(bare) is not None:
        raise _other_layout()
    return _PdfObject(number, text, bare, stream)


def _bare(text: bytes) -> bytes:
    return _STRING.sub(rb"(\1", text)


def _other_layout() -> PdfRefused:
    return PdfRefused(
        f"the PDF is not laid out as reports are issued, {_NOT_ISSUED}: a viewer may show another attachment than is "
        "read here. Verify the file as it was issued, not saved again by a program, or the JSON"
    )


def _inflated(content: bytes) -> bytes:
    inflater = zlib.decompressobj()
    try:
        plain = inflater.decompress(content, MAX_BYTES)
    except zlib.error:
        raise PdfRefused("the attachment of the PDF cannot be read") from None
    if inflater.unused_data:
        raise PdfRefused("the attachment of the PDF has more bytes than its zlib stream")
    if inflater.unconsumed_tail or not inflater.eof:
        raise PdfRefused("the attachment of the PDF is cut off, or larger than 64 MiB")
    return plain

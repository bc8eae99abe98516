"""PDFs of reports and key files with a change, as input files of the command lines."""

from __future__ import annotations

import base64
import json
import random
import re
import zlib
from typing import Any, Callable, Dict, List

import mutations
import vectors

from countersign.verify.strict_json import sha256_hex

_WHITE = ("\x00", "\t", "\n", "\x0c", "\r", " ")
_ALMOST_WHITE = ("\x0b", "\x1c", "\x1f", "\x85", "\xa0")
_KEYWORDS = ("obj", "endobj", "stream", "endstream", "xobj", "obj2")
_NAMES = (
    "OpenAction",
    "AA",
    "JavaScript",
    "JS",
    "Launch",
    "XFA",
    "Y",
    "EF",
    "EmbeddedFile",
    "Encrypt",
    "#41A",
    "A#2FB",
)
_DATE = "(D:20260301120000Z)"
_TEXT = ("(a)", "(\\))", "(\\\\)", "(()", "())", "(\n)", "(\\x)", "<61>", "% comment", "[1 (b) 2]")


def pdfs(count: int, seed: int) -> List[Dict[str, Any]]:
    """``{kind: "file", bytes, key, what}``: PDFs, most of them signed after the change."""
    source = random.Random(seed)
    vector = vectors.load("valid-small.json")
    packages = []
    for marked in (True, False):
        package = dict(vector["package"], **({"signedPages": True} if marked else {}))
        mutations.sign(package)
        packages.append(json.dumps(package).encode())
    return [_pdf_case(source, packages) for _ in range(count)]


def _pdf_case(source: random.Random, packages: List[bytes]) -> Dict[str, Any]:
    what: List[str] = []
    package = source.choice(packages)
    content = zlib.compress(package) if source.random() < 0.7 else package
    deflated = content is not package
    if source.random() < 0.25:
        more = source.choice((b"x", b"\n", b"\x00" * 4, content))
        content, what = content + more, [f"{len(more)} bytes after the attachment"]
    extra = "<<\n/X /Y\n>>"
    if source.random() < 0.5:
        extra = f"<<\n/X {_fragment(source)}\n>>"
        what.append(f"an object {extra!r}")
    data = _written(content, deflated, extra)
    signing = source.random()
    if signing < 0.7:
        data = _signed(data, mutations.KEY_ID)
    elif signing < 0.8:
        data = _signed(data, "key_0123456789abcdef")
        what.append("another key is named")
    else:
        what.append("no signature")
    if source.random() < 0.45:
        data = _changed(source, data, what)
    key = mutations.PEM if source.random() < 0.9 else None
    return {"kind": "file", "bytes": base64.b64encode(data).decode(), "key": key, "what": "; ".join(what)}


def _fragment(source: random.Random) -> str:
    def space() -> str:
        return source.choice(_WHITE + _ALMOST_WHITE)

    forms: List[Callable[[], str]] = [
        lambda: f"/Y{space()}{source.choice(_KEYWORDS)}{space()}",
        lambda: f"/Y {source.choice(_KEYWORDS)}{space()}",
        lambda: f"{space()}{source.choice(_KEYWORDS)}(a)",
        lambda: f"/{source.choice(_NAMES)}{source.choice((' ', '/', '(', chr(0xA0), chr(0), 'x'))}(a)",
        lambda: source.choice(_TEXT),
    ]
    return source.choice(forms)()


def _written(content: bytes, deflated: bool, extra: str) -> bytes:
    params = f"<<\n/CreationDate {_DATE}\n/ModDate {_DATE}\n/CheckSum ({'0' * 32})\n/Size 1\n>>"
    media, filtered = "/Subtype /application#2Fjson", "/Filter /FlateDecode\n" if deflated else ""
    file = f"<<\n/Type /EmbeddedFile\n/Params {params}\n{media}\n/Length {len(content)}\n{filtered}>>\nstream\n"
    names = "/F (a)\n/EF <<\n/F 1 0 R\n>>\n/UF (a)\n/Desc (b)"
    page = "<<\n/Length 9\n>>\nstream\n(page) Tj\nendstream"
    objects = [
        file.encode() + content + b"\nendstream",
        f"<<\n/Type /Filespec\n/AFRelationship /Source\n{names}\n>>".encode(),
        page.encode(),
        extra.encode("latin-1"),
    ]
    whole = b"%PDF-1.7\n%\xff\xff\xff\xff\n"
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for number, body in enumerate(objects, 1):
        table += b"%010d 00000 n \n" % len(whole)
        whole += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    keys = b"/Size %d\n/Root 1 0 R\n/Info 2 0 R\n/ID [<ab> <ab>]\n" % (len(objects) + 1)
    return whole + table + b"trailer\n<<\n%s>>\nstartxref\n%d\n%%%%EOF\n" % (keys, len(whole))


def _signed(data: bytes, key_id: str) -> bytes:
    """See FORMAT.md; also signs a changed file so that the signature covers the change."""
    at = data.rindex(b">>\nstartxref\n")
    head = f"/CountersignKey ({key_id})\n/CountersignSignature <".encode()
    unsigned = data[:at] + head + b"0" * 128 + b">\n" + data[at:]
    message = f"countersign/1 pdf key={key_id} sha256={sha256_hex(unsigned)}".encode()
    return data[:at] + head + mutations.SECRET.sign(message).hex().encode() + b">\n" + data[at:]


def _changed(source: random.Random, data: bytes, what: List[str]) -> bytes:
    kind = source.choice(("byte", "left out", "put in", "page", "signature", "cut", "id"))
    at = source.choice((source.randrange(len(data)), len(data) - 1 - source.randrange(min(len(data), 400))))
    what.append(f"{kind} at {at}")
    if kind == "byte":
        return data[:at] + bytes([source.randrange(256)]) + data[at + 1 :]
    if kind == "left out":
        return data[:at] + data[at + 1 :]
    if kind == "put in":
        return data[:at] + bytes([source.randrange(256)]) + data[at:]
    if kind == "page":
        return data.replace(b"(page) Tj", b"(wage) Tj")
    if kind == "signature":
        return re.sub(rb"<([0-9a-f]{128})>", lambda found: b"<" + found[1].upper() + b">", data)
    if kind == "cut":
        return re.sub(rb"/CountersignKey [^>]*>\n", b"", data)
    return data.replace(b"[<ab> <ab>]", b"[<ab> <AC>]")


def keys(count: int, seed: int) -> List[Dict[str, Any]]:
    """``{kind: "key", text, what}``: PEM with a change."""
    source = random.Random(seed)
    return [_key_case(source) for _ in range(count)]


def _key_case(source: random.Random) -> Dict[str, Any]:
    text = mutations.PEM
    kind = source.choice(("before", "after", "inside", "byte", "lines", "label", "base64", "der", "twice"))
    odd = source.choice(_WHITE + _ALMOST_WHITE + ("\ufeff", "\u2028", "x", "# a key\n", "\r\n", "=", "-", "\ud7ff"))
    at = source.randrange(len(text))
    der = base64.b64decode("".join(text.splitlines()[1:-1]))
    if kind == "before":
        text = odd + text
    elif kind == "after":
        text += odd
    elif kind == "inside":
        text = text[:at] + odd + text[at:]
    elif kind == "byte":
        text = text[:at] + odd + text[at + 1 :]
    elif kind == "lines":
        text = text.replace("\n", source.choice(("\r\n", "\r", "\n\n", "", " \n")))
    elif kind == "label":
        text = text.replace("PUBLIC KEY", source.choice(("PRIVATE KEY", "CERTIFICATE", "public key", "PUBLIC  KEY")))
    elif kind == "twice":
        text += text
    else:
        if kind == "der":
            at = source.randrange(len(der))
            der = source.choice(
                (
                    der[:at] + bytes([source.randrange(256)]) + der[at + 1 :],
                    der[:-1],
                    der + b"\x00",
                    der[-32:],
                )
            )
        encoded = base64.b64encode(der).decode()
        if kind == "base64":
            encoded = source.choice(
                (
                    encoded.rstrip("="),
                    encoded + "=",
                    encoded.replace("+", "-").replace("/", "_"),
                    encoded[:-2] + "B=" if encoded.endswith("=") else encoded + "A",
                    "\n".join(encoded[i : i + 7] for i in range(0, len(encoded), 7)),
                    " ".join((encoded[:20], encoded[20:])),
                )
            )
        text = f"-----BEGIN PUBLIC KEY-----\n{encoded}\n-----END PUBLIC KEY-----\n"
    return {"kind": "key", "text": text, "what": f"key: {kind} {odd!r}"}

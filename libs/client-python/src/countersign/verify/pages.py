"""Verifies that the issuer of a PDF's package signed the bytes of the PDF."""

from __future__ import annotations

import re
from typing import Any, List, Literal, NamedTuple, Optional, Sequence

from .ed25519 import VerificationKey, signature_holds
from .findings import Problem
from .pdf import PdfSignature
from .strict_json import sha256_hex

_DIGITS = 128
_KEY_OF = re.compile(r"/v1/keys/(key_[0-9a-f]{16})\Z")


class PdfPages(NamedTuple):
    """``issued``: the key that signed the package signed every byte; ``unsigned``: the file has no signature."""

    verdict: Literal["issued", "differ", "unsigned", "unchecked"]
    checked: List[str]
    not_checked: List[str]
    problems: List[Problem]


def check_pages(
    data: bytes, signature: Optional[PdfSignature], package: Any, keys: Optional[Sequence[VerificationKey]]
) -> PdfPages:
    """:param package: the embedded one, verified separately by ``verify_package``"""
    members = package if isinstance(package, dict) else {}
    if signature is None:
        if "signedPages" in members:
            return _differ("the package says that its PDF is signed, and this one is not")
        return _open(
            "unsigned",
            "the package is verified, its pages are not: no signature covers them, "
            "as in PDFs that were issued before they were signed",
        )
    url = members.get("publicKeyUrl")
    named = _KEY_OF.search(url) if isinstance(url, str) else None
    if named is None or named.group(1) != signature.key_id:
        return _differ("the PDF names another key than its package")
    if keys is None:
        return _open("unchecked", "the package alone was looked at: no key was given")
    key = next((one for one in keys if one.key_id == signature.key_id), None)
    if key is None:
        return _differ("the PDF names a key that was not given")
    if not signature_holds(key.public_key, signature.signature, pdf_message(data, signature)):
        return _differ("the key did not sign these bytes")
    return PdfPages("issued", [f"every byte of the PDF, its pages with them: signed by {signature.key_id}"], [], [])


def pdf_message(data: bytes, signature: PdfSignature) -> bytes:
    """The signed message: the form, the key, and the hash of the file with zeros for the digits of the signature."""
    unsigned = data[: signature.at] + b"0" * _DIGITS + data[signature.at + _DIGITS :]
    return f"countersign/1 pdf key={signature.key_id} sha256={sha256_hex(unsigned)}".encode()


def _differ(why: str) -> PdfPages:
    return PdfPages(
        "differ", [], [], [Problem("pages-differ", "pages", f"the pages are not those that were issued: {why}")]
    )


def _open(verdict: Literal["unsigned", "unchecked"], why: str) -> PdfPages:
    return PdfPages(verdict, [], [f"the pages of the PDF: {why}"], [])

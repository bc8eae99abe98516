"""Verification of a whole package, and of a single event with its proof, following the steps of FORMAT.md."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any, Dict, List, Mapping, NoReturn, Optional, Sequence, Tuple

from .chain import ChainCheck, ChainFacts, lies_in
from .commitment import COMMITMENTS
from .ed25519 import VerificationKey, signature_holds
from .entries import check_entries, check_runs, check_statuses
from .findings import NO_VOUCHER, Findings, Verification, Vouched, WindowTime
from .forms import bytes_of_base64, is_hash
from .leaf import what_is_wrong_with_leaf
from .opening import is_in_part
from .proof import check_proof
from .shape import misshapen
from .strict_json import JsonRefused, NotCanonical, canonical_bytes, parse_json_strict, sha256_hex
from .times import check_times
from .walk import check_walk
from .windows import check_windows

VERIFICATION_MEMBERS = ("sha256", "signature", "algorithm", "publicKeyUrl")
# Visible ASCII without ``?`` and ``#``, and a host: the authority is neither empty nor begins with its port.
_KEY_URL = re.compile(r"https?://(?![/:@\\])[\x21\x22\x24-\x3e\x40-\x7e]+/v1/keys/(key_[0-9a-f]{16})")


def content_hash_of(package: Mapping[str, Any]) -> str:
    """SHA-256 of the canonical package without ``timestamp`` and without the four verification members, in hex."""
    left_out = (*VERIFICATION_MEMBERS, "timestamp")
    return sha256_hex(canonical_bytes({name: value for name, value in package.items() if name not in left_out}))


class Stopped(Exception):
    """Further checks make no sense after the problem that was found."""


def verify_package(
    package: Any,
    keys: Optional[Sequence[VerificationKey]] = None,
    chain: Optional[ChainFacts] = None,
    absences: Sequence[Any] = (),
) -> Verification:
    """Verifies a signed package, schemaVersion 1.0.0, from its arguments alone.

    :param package: the bytes of the file, or the result of :func:`parse_json_strict`
    :param keys: public keys that the caller trusts; ``None``: the issuer is not checked
    :param chain: answers of the chain for :func:`transactions_to_ask`; ``None``: anchors are not checked
    :param absences: proofs of absence, for windows that the package does not list
    """
    run = PackageRun(keys, chain, absences)
    with suppress(Stopped):
        run.verify(package)
    return run.result()


def verify_event(event: Any, proof: Any, chain: Optional[ChainFacts] = None) -> Verification:
    """Verifies a single leaf event with its proof; an event that is not anchored has nothing to prove yet."""
    findings = Findings()
    check = ChainCheck(chain, findings)
    wrong = what_is_wrong_with_leaf(event)
    anchored = False
    if wrong is not None:
        findings.add("leaf-invalid", "event", wrong)
    elif check_proof(event, proof, None, "proof", findings):
        anchored = True
        check.check_window(proof, proof["agent"]["treeSize"], "proof.txSignature")
    elif not findings.problems:
        return Verification([], [], ["the event: nothing to prove yet"], unanchored=1, proven=False)
    known = chain is not None and chain.authorities is not None
    answered = anchored and check.unanswered == 0
    not_checked = [] if answered else ["the chain: the transaction was not asked, or no node answered"]
    checked = ["the event leads to the root"] if anchored and not findings.problems else []
    return Verification(findings.problems, checked, not_checked, False, answered, answered and known, int(anchored))


class PackageRun:
    """The steps of one verification, and what they found."""

    def __init__(
        self, keys: Optional[Sequence[VerificationKey]], chain: Optional[ChainFacts], absences: Sequence[Any]
    ) -> None:
        self._keys = keys
        self._absences = absences
        self._report_time: Optional[int] = None
        self._times: Tuple[WindowTime, ...] = ()
        self._chain = chain
        self._findings = Findings()
        self._chain_check = ChainCheck(chain, self._findings)
        self._key: Optional[VerificationKey] = None
        self._time_proven = False
        self._checked: List[str] = []
        self._not_checked: List[str] = []
        self._anchored = 0
        self._events = 0
        self._shown_in_part = 0

    def verify(self, given: Any) -> None:
        package, key = self.read_signed(given, "1.0.0")
        wrong = misshapen(package)
        if wrong is not None:
            self.stop("structure", wrong, "it is missing, or has not its form")
        self._key = key
        self._check_time(package, key)
        self._check_content(package)

    def read_signed(self, given: Any, schema_version: str) -> Tuple[Mapping[str, Any], Optional[VerificationKey]]:
        """Steps 1 to 4: the signed members, and the key that signed them."""
        package = self._read(given)
        if package.get("canonicalization") != "rfc8785-jcs":
            self.stop("unsupported-canonicalization", "canonicalization", "it is not rfc8785-jcs")
        if package.get("schemaVersion") != schema_version:
            self.stop("unsupported-schema", "schemaVersion", f"it is not {schema_version}")
        signed_members = {name: value for name, value in package.items() if name not in VERIFICATION_MEMBERS}
        try:
            signed = canonical_bytes(signed_members)
        except NotCanonical as error:
            self.stop("not-canonical", "", f"it has no canonical form: {error}")
        signature, key_id = self._verification_members(package)
        key = self._check_signature(signature, key_id, signed)
        if sha256_hex(signed) != package["sha256"]:
            self.stop("sha256-differs", "sha256", "it is the hash of something else")
        return package, key

    def _read(self, given: Any) -> Mapping[str, Any]:
        if isinstance(given, (bytes, bytearray)):
            try:
                given = parse_json_strict(bytes(given))
            except JsonRefused as error:
                self.stop("not-canonical", "", str(error))
        if not isinstance(given, dict):
            self.stop("unsupported-canonicalization", "", "it is not a JSON object")
        members: Dict[str, Any] = given
        return members

    def stop(self, code: str, path: str, message: str) -> NoReturn:
        self._findings.add(code, path, message)
        raise Stopped

    def _verification_members(self, package: Mapping[str, Any]) -> Tuple[bytes, str]:
        url = package.get("publicKeyUrl")
        found = _KEY_URL.fullmatch(url) if isinstance(url, str) else None
        signature = bytes_of_base64(package.get("signature"))
        if package.get("algorithm") != "Ed25519":
            self.stop("verification-fields", "algorithm", "it is not Ed25519")
        if not is_hash(package.get("sha256")):
            self.stop("verification-fields", "sha256", "it is not SHA-256 in lower-case hex")
        if signature is None or len(signature) != 64:
            self.stop("verification-fields", "signature", "it is not 64 bytes in base64")
        if found is None:
            self.stop("verification-fields", "publicKeyUrl", "it does not end in /v1/keys/<key id>")
        return signature, found.group(1)

    def _check_signature(self, signature: bytes, key_id: str, signed: bytes) -> Optional[VerificationKey]:
        if self._keys is None:
            self._not_checked.append("the issuer: no key was given")
            return None
        key = next((one for one in self._keys if one.key_id == key_id), None)
        if key is None:
            self.stop("unknown-key", "publicKeyUrl", "it names a key that was not given")
        if not signature_holds(key.public_key, signature, signed):
            self.stop("signature-invalid", "signature", "the key did not sign this")
        if key.status == "revoked":
            self.stop("key-revoked", "publicKeyUrl", "the key was revoked")
        self._checked.append(f"signature by {key_id}")
        return key

    def _check_time(self, package: Mapping[str, Any], key: Optional[VerificationKey]) -> None:
        timestamp = package["timestamp"]
        content_hash = content_hash_of(package)
        if timestamp["message"] != f"countersign/1 report={content_hash}":
            self._findings.add("content-hash-differs", "timestamp.message", "it names another content")
        at = None
        if timestamp["anchor"] != "pending":
            at = self._chain_check.check_report(timestamp, content_hash)
        self._time_proven = at is not None
        self._report_time = at
        if at is None:
            self._not_checked.append("the time of issue: time not proven")
        elif key is not None and not lies_in(at, key.valid_from, key.valid_to):
            self._findings.add("key-outside-validity", "publicKeyUrl", "the key was not valid at the block's time")

    def _check_content(self, package: Mapping[str, Any]) -> None:
        proven = check_entries(package, self._findings)
        self._events = len(package["events"])
        if any(problem.code in ("leaf-invalid", "proof-form") for problem in self._findings.problems):
            # Runs, windows and statuses are derived from well-formed leaves and proofs.
            return
        self._anchored = len(proven)
        self._checked.append(f"{self._events} events, {self._anchored} of them lead to a root")
        self._note_withheld_members(package)
        check_runs(package, self._findings)
        check_windows(package, self._chain_check, self._findings)
        self._check_anchors(package)
        self._times = tuple(check_times(package, self._chain, self._findings))
        self._checked += check_walk(package, self._chain, self._report_time, self._absences, self._findings)
        anchored = sum(1 for proof in package["inclusionProofs"] if proof["anchored"])
        check_statuses(package, anchored, self._findings)

    def _note_withheld_members(self, package: Mapping[str, Any]) -> None:
        openings = [item for entry in package["events"] for item in entry["opened"].items()]
        self._shown_in_part = sum(name in COMMITMENTS and is_in_part(opening) for name, opening in openings)
        if self._shown_in_part:
            self._not_checked.append(f"members that are withheld: {self._shown_in_part} openings are shown in part")

    def _check_anchors(self, package: Mapping[str, Any]) -> None:
        done = set()
        claims = [
            (proof, proof["agent"]["treeSize"], f"inclusionProofs[{index}].txSignature")
            for index, proof in enumerate(package["inclusionProofs"])
            if proof["anchored"]
        ]
        windows = enumerate(package["windows"])
        claims += [(one, one["treeSize"], f"windows[{index}].txSignature") for index, one in windows]
        for claim, size, path in claims:
            names = ("txSignature", "network", "merkleRoot", "windowStart", "windowEnd")
            key = (*(claim[name] for name in names), size)
            if key not in done:
                done.add(key)
                self._chain_check.check_window(claim, size, path)

    def result(self) -> Verification:
        check, facts = self._chain_check, self._chain
        answered = facts is not None and check.unanswered == 0
        known = facts is not None and facts.authorities is not None
        if facts is None:
            self._not_checked.append("the chain: it was not asked")
        elif not answered:
            self._not_checked.append(f"the chain: no answer for {check.unanswered} of {check.asked} transactions")
        elif check.asked == 0:
            self._not_checked.append("the chain: no transaction is named")
        else:
            self._checked.append(f"{check.asked} transactions on {facts.network}")
        if facts is not None and not known:
            self._not_checked.append("who anchored: no authority was given")
        self._not_checked += check.network_notes()
        self._not_checked += [message for _, message in self._findings.open]
        return Verification(
            self._findings.problems,
            self._checked,
            self._not_checked,
            self._keys is not None,
            answered,
            answered and known,
            self._anchored,
            self._events - self._anchored,
            vouched=NO_VOUCHER if self._findings.problems else Vouched(self._issuer_vouches(), self._anchor_vouches()),
            unsettled=tuple(code for code, _ in self._findings.open),
            window_times=self._times,
            shown_in_part=self._shown_in_part,
        )

    def _issuer_vouches(self) -> bool:
        key = self._key
        return key is not None and (self._time_proven or (key.status != "retired" and key.valid_to is None))

    def _anchor_vouches(self) -> bool:
        check, facts = self._chain_check, self._chain
        return facts is not None and facts.authorities is not None and check.asked > 0 and check.unanswered == 0

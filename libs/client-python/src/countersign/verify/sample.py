"""Audit samples of a package, drawn by the hash of a later block: rule ``countersign/sample/1``."""

from __future__ import annotations

import hashlib
from typing import Any, Dict, List, Mapping, Tuple

from .findings import Findings, Verification
from .forms import is_base58, is_count, is_event_id, is_hash, is_name, milliseconds
from .package import content_hash_of
from .shape import misshapen

_RULE = "countersign/sample/1"
_LATER_BY_SLOTS = 32
_POPULATIONS = ("events", "checks")


def seed_of(blockhash: str, content_hash: str) -> str:
    """The seed of a draw, in hex. ``blockhash`` is base58, ``content_hash`` that of the canonical package."""
    return hashlib.sha256(f"{_RULE} block={blockhash} package={content_hash}".encode("ascii")).hexdigest()


def draw_sample(
    package: Mapping[str, Any], blockhash: str, size: int, population: str = "events"
) -> List[Dict[str, Any]]:
    """The events that a block draws, in the form of a sample's ``selected``.

    :param package: one that is well-formed
    :param population: ``events``, or ``checks`` alone
    """
    seed = seed_of(blockhash, content_hash_of(package))
    return _draw(package, seed, population)[:size]


def check_sample(sample: Any, package: Any) -> Verification:
    """Draws a sample again and compares. The package must be verified separately; the block is not looked up.

    :raises ValueError: the sample or the package is malformed
    """
    if not isinstance(package, dict) or misshapen(package) is not None:
        raise ValueError("the package has not its form")
    if not _has_form(sample):
        raise ValueError("the sample has not its form, or another rule")
    findings = Findings()
    content_hash = content_hash_of(package)
    request, block = sample["request"], sample["block"]
    if _facts_of(package, content_hash) != sample["package"]:
        findings.add("sample-package-differs", "package", "it was drawn from another package")
    if _is_other_anchor(sample["anchor"], package["timestamp"]):
        findings.add("sample-anchor-differs", "anchor", "its transaction is not the report's")
    if _is_early(sample, package):
        findings.add("sample-block-early", "block", "the block is not late enough")
    seed = seed_of(block["blockhash"], content_hash)
    if seed != sample["seed"]:
        findings.add("sample-seed-differs", "seed", "it is not that of the block and the package")
    drawn = _draw(package, seed, request["population"])
    if len(drawn) != sample["populationSize"]:
        findings.add("sample-population-differs", "populationSize", f"there are {len(drawn)}")
    if drawn[: request["size"]] != sample["selected"]:
        findings.add("sample-selection-differs", "selected", "the block draws others, or in another order")
    not_checked = ["the package: it is verified by itself", "the block: that it is the first that is allowed"]
    checked = [] if findings.problems else [f"{len(sample['selected'])} of {len(drawn)} drawn again"]
    return Verification(findings.problems, checked, not_checked)


def _draw(package: Mapping[str, Any], seed: str, population: str) -> List[Dict[str, Any]]:
    drawn: List[Tuple[str, int]] = []
    for index, entry in enumerate(package["events"]):
        event = entry["event"]
        if not is_event_id(event.get("eventId")):
            raise ValueError("an event of the package is no leaf event")
        if "outsideRange" in entry or (population == "checks" and event["type"] != "action.checked"):
            continue
        drawn.append((hashlib.sha256(bytes.fromhex(seed) + event["eventId"].encode("ascii")).hexdigest(), index))
    names = ("eventId", "agentId", "type", "outcome", "occurredAt")
    return [
        {
            "rank": rank,
            "index": index,
            "sequence": package["events"][index]["sequence"],
            "draw": number,
            **{name: package["events"][index]["event"][name] for name in names},
        }
        for rank, (number, index) in enumerate(sorted(drawn), start=1)
    ]


def _facts_of(package: Mapping[str, Any], content_hash: str) -> Dict[str, Any]:
    return {
        "reportId": package["reportId"],
        "sha256": package.get("sha256"),
        "contentHash": content_hash,
        "range": {name: package["range"][name] for name in ("from", "to")},
    }


def _is_other_anchor(anchor: Mapping[str, Any], timestamp: Mapping[str, Any]) -> bool:
    """A report that was issued before its transaction was final names none: the chain shows its own one."""
    named = (timestamp["anchor"], timestamp["anchor_tx_signature"])
    return timestamp["anchor"] != "pending" and named != (anchor["network"], anchor["txSignature"])


def _is_early(sample: Mapping[str, Any], package: Mapping[str, Any]) -> bool:
    slot, block = sample["anchor"]["slot"], sample["block"]
    if slot is not None and block["slot"] < slot + _LATER_BY_SLOTS:
        return True
    bounds = [milliseconds(package["range"]["to"]), milliseconds(sample["request"]["notBefore"])]
    made_at = block["blockTime"]
    return made_at is not None and any(bound is not None and made_at * 1000 < bound for bound in bounds)


def _has_form(sample: Any) -> bool:
    names = ("package", "request", "anchor", "block")
    if not isinstance(sample, dict) or sample.get("rule") != _RULE:
        return False
    if not all(isinstance(sample.get(name), dict) for name in names) or not isinstance(sample.get("selected"), list):
        return False
    request, anchor, block = sample["request"], sample["anchor"], sample["block"]
    not_before = request.get("notBefore")
    return (
        is_count(request.get("size"), 1)
        and request.get("population") in _POPULATIONS
        and (not_before is None or milliseconds(not_before) is not None)
        and is_name(anchor.get("network"))
        and is_base58(anchor.get("txSignature"))
        and all(value is None or is_count(value) for value in (anchor.get("slot"), block.get("blockTime")))
        and is_count(block.get("slot"))
        and is_base58(block.get("blockhash"))
        and is_hash(sample.get("seed"))
        and is_count(sample.get("populationSize"))
    )

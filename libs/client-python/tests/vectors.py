"""The vectors of libs/evidence, and their meaning for this verifier."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, Dict, Mapping, Optional

from countersign.verify import (
    Answer,
    Authority,
    ChainFacts,
    Listed,
    Transaction,
    Verification,
    VerificationKey,
    Walk,
    parse_json_strict,
    transactions_to_ask,
    verify_absence,
    verify_event,
    verify_package,
)

REPOSITORY = Path(__file__).resolve().parents[3]
FOLDER = REPOSITORY / "libs" / "evidence" / "vectors"


def names() -> list[str]:
    return sorted(path.name for path in FOLDER.glob("*.json"))


def load(name: str) -> Any:
    return parse_json_strict((FOLDER / name).read_bytes())


def subject_of(vector: Mapping[str, Any]) -> Any:
    """The subject that names transactions: the package, the proof of absence, or that of the event."""
    return next((vector[name] for name in ("package", "absence", "proof") if name in vector), None)


def chain_of(vector: Mapping[str, Any], subject: Any) -> Optional[ChainFacts]:
    """The chain of a vector, with the answers for the transactions of the subject, or all that was read."""
    chain = vector["chain"]
    if chain is None:
        return None
    asked = {one.signature for one in transactions_to_ask(subject)}
    walked = "walks" in chain
    answers = {signature: answer for signature, answer in chain["transactions"].items() if walked or signature in asked}
    transactions: Dict[str, Answer] = {signature: _answer_of(answer) for signature, answer in answers.items()}
    known = chain["authorities"]
    authorities = None if known is None else [_authority_of(one) for one in known]
    walks = [_walk_of(one) for one in chain["walks"]] if "walks" in chain else None
    return ChainFacts(chain["network"], transactions, authorities, walks)


def vouched(result: Verification, expected: Mapping[str, Any]) -> Dict[str, Any]:
    """The expected members on who vouches and what is left open: a single event is not signed."""
    members: Dict[str, Any] = {"vouched": asdict(result.vouched)} if "vouched" in expected else {}
    return {**members, "unsettled": list(result.unsettled)} if "unsettled" in expected else members


def judge(vector: Mapping[str, Any]) -> Verification:
    chain = chain_of(vector, subject_of(vector))
    if "absence" in vector:
        return verify_absence(vector["absence"], chain)
    if "event" in vector:
        return verify_event(vector["event"], vector["proof"], chain)
    given = vector["keys"]
    keys = None if given is None else [key_of(one) for one in given]
    return verify_package(vector["package"], keys, chain, vector.get("absences", ()))


def key_of(key: Mapping[str, Any]) -> VerificationKey:
    return VerificationKey.from_pem(key["pem"], key["status"], key["validFrom"], key["validTo"])


def facts_of(chain: Mapping[str, Any]) -> ChainFacts:
    """All answers of a vector's chain, without the authorities' other transactions."""
    transactions = {signature: _answer_of(answer) for signature, answer in chain["transactions"].items()}
    return ChainFacts(chain["network"], transactions, [_authority_of(one) for one in chain["authorities"]])


def _authority_of(one: Mapping[str, Any]) -> Authority:
    return Authority(one["address"], one["network"], one["validFrom"], one["validTo"])


def _walk_of(one: Mapping[str, Any]) -> Walk:
    listed = [Listed(item["signature"], item["succeeded"], item["blockTime"], item["memos"]) for item in one["listed"]]
    return Walk(one["address"], one["complete"], listed)


def _answer_of(value: Any) -> Answer:
    if value in ("not-found", "unavailable"):
        answer: Answer = value
        return answer
    return Transaction(
        value["succeeded"],
        value["finalized"],
        value["signers"],
        value["memos"],
        value["blockTime"],
        value["blockHeight"],
    )

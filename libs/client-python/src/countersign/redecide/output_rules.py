"""Output rules, of which this verifier knows whether there are some, and nothing else."""

from __future__ import annotations

from typing import Any, Mapping


def has_output_rules(profile: Mapping[str, Any]) -> bool:
    """True where a rule for outputs is set."""
    rules = profile.get("output_rules")
    return rules is not None and (
        bool(rules.get("blocked_pii"))
        or bool(rules.get("block_secrets"))
        or bool(rules.get("blocked_topics"))
        or rules.get("max_length") is not None
    )

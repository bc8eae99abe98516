"""The active span of OpenTelemetry, which is used where the application has loaded ``opentelemetry.trace``.

Nothing is imported here: a program without it pays one look-up.
"""

from __future__ import annotations

import logging
import sys
import time
from typing import Any, Dict, Optional, Union

from .result import CheckResult

logger = logging.getLogger("countersign")


class ActiveSpan:
    """A span that is active when a check begins."""

    def __init__(self, span: Any, traceparent: str) -> None:
        self.traceparent = traceparent
        """W3C Trace Context, section 3.2."""
        self._span = span
        self._begun_at = time.monotonic()

    @staticmethod
    def of_now() -> Optional[ActiveSpan]:
        """``None``: no OpenTelemetry, no span, or one that cannot be read."""
        trace = sys.modules.get("opentelemetry.trace")
        if trace is None:
            return None
        try:
            span = trace.get_current_span()
            context = span.get_span_context()
            if not context.is_valid:
                return None
            flags = int(context.trace_flags) & 0xFF
            return ActiveSpan(span, f"00-{context.trace_id:032x}-{context.span_id:016x}-{flags:02x}")
        except Exception:
            logger.debug("the active span cannot be read", exc_info=True)
            return None

    def record(self, result: CheckResult) -> None:
        """Adds the event ``countersign.decision``: what was decided, and the event that records it. Never raises."""
        given: Dict[str, Union[str, bool, float, None]] = {
            "event_id": result.event_id,
            "allowed": result.allowed,
            "violation_type": result.violation_type,
            "rule": result.rule,
            "severity": result.severity,
            "code": result.code or (result.violations[0] if result.violations else None),
            "approval_id": result.approval_id,
            "would_deny": result.would_deny,
            "failed_open": result.failed_open or None,
            "latency_ms": (time.monotonic() - self._begun_at) * 1000,
        }
        attributes = {f"countersign.{name}": value for name, value in given.items() if value is not None}
        try:
            if self._span.is_recording():
                self._span.add_event("countersign.decision", attributes)
        except Exception:
            # An exporter that fails is no reason not to decide.
            logger.debug("the decision cannot be put on the active span", exc_info=True)

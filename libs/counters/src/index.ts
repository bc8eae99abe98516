export { amountOfNanos, amountText, minus, MOST_UNITS, parseAmount } from './amount.js';
export type { Amount } from './amount.js';
export { CLAIM_BOUNDS, CLAIM_MS, CountersUnavailable, RULE_BOUNDS } from './port.js';
export { MOST_FACTS, MOST_LIMITS } from './rule-trip.js';
export type {
  AgentUsage,
  ApprovalDecision,
  AskedApproval,
  FoundApproval,
  LoggedApproval,
  CheckTrip,
  CheckTripResult,
  ClaimFigures,
  ConditionalRule,
  CountedEvent,
  Counters,
  FactSetting,
  GivenBackSums,
  HeldAmount,
  Judgement,
  LimitBalance,
  OnceUse,
  OnceUsed,
  RebuildLease,
  RuleBalances,
  RuleBounds,
  RuleCounts,
  RuleQuestion,
  RuleSnapshot,
  RuleTrip,
  Seen,
  StaticViolation,
  StoredAnswer,
  TripFact,
  TripLimit,
  UsageSnapshot,
  VersionedKind,
} from './port.js';
export { exceededLimit } from './rule-findings.js';
export { countedViolations, dollars } from './violations.js';
export { SlewedClock } from './slewed-clock.js';
export type { CountersClock } from './slewed-clock.js';
export { InProcessCounters } from './in-process/in-process-counters.js';
export type { InProcessCountersOptions } from './in-process/in-process-counters.js';
export { ReplayCounts } from './in-process/replay-counts.js';
export type { RecordedCounts } from './in-process/replay-counts.js';
export type { ReplayedCheck } from './in-process/replay-counts.js';
export { connectCounters, serveCounters } from './in-process/port-bridge.js';
export { openRedisCounters } from './redis/open-redis-counters.js';
export type { OpenRedisCountersOptions } from './redis/open-redis-counters.js';

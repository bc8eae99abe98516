import type {
  ActionKind,
  CheckOutcome,
  LeafEvent,
  LeafTypeV1,
  ReportedOutcome,
  Severity,
  ViolationTypeV1,
} from '@countersign/contracts';
import { isHash } from '../encoding/hex.js';
import { isWellFormed } from '../encoding/text.js';
import { isInstant } from '../encoding/time.js';
import { isUuid, isUuidV7 } from '../encoding/uuid.js';
import { isWhole } from '../reading.js';

/**
 * The closed sets of the leaf as data. The types of `contracts` bind them to the published sets: a missing or an
 * additional member does not compile.
 */
const LEAF_TYPE: Readonly<Record<LeafTypeV1, true>> = {
  'action.checked': true,
  'action.unanswered': true,
  'action.outcome': true,
  'agent.created': true,
  'agent.updated': true,
  'agent.frozen': true,
  'agent.unfrozen': true,
  'agent.deactivated': true,
  'agent.registered': true,
  'profile.changed': true,
  'content.erased': true,
  'retention.applied': true,
};
const CHECK_OUTCOME: Readonly<Record<CheckOutcome, true>> = {
  allowed: true,
  denied: true,
  frozen: true,
  sandbox_expired: true,
  action_cap: true,
};
const REPORTED_OUTCOME: Readonly<Record<ReportedOutcome, true>> = { succeeded: true, failed: true, skipped: true };
const SEVERITY: Readonly<Record<Severity, true>> = { P1: true, P2: true, P3: true };
const VIOLATION: Readonly<Record<ViolationTypeV1, true>> = {
  api_not_allowed: true,
  off_limits_action: true,
  data_scope_denied: true,
  spending_limit_exceeded: true,
  rate_limit_exceeded: true,
  unsafe_output: true,
};
const ACTION_KIND: Readonly<Record<ActionKind, true>> = {
  http_call: true,
  llm_response: true,
  data_access: true,
  tool_use: true,
  other: true,
};

function member(set: Readonly<Record<string, true>>): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && Object.hasOwn(set, value);
}

export const isCheckOutcome = member(CHECK_OUTCOME);
export const isReportedOutcome = member(REPORTED_OUTCOME);

function orNull(test: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === null || test(value);
}

const IDENTIFIER = /^[a-z][a-z0-9_]{0,63}$/;

/** Reports whether `value` is an identifier as FORMAT.md defines it. */
export function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && IDENTIFIER.test(value);
}

const TYPE = /^[a-z]+(\.[a-z_]+)+$/;

function isType(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 64 && TYPE.test(value);
}

/** Entries of `coverage` at most. */
const MOST_COVERAGE = 32;

function isCoverage(value: unknown): boolean {
  if (!Array.isArray(value) || value.length > MOST_COVERAGE) return false;
  return value.every((name: unknown, i) => isIdentifier(name) && (i === 0 || (value[i - 1] as string) < name));
}

const isText = (value: unknown): boolean => typeof value === 'string' && isWellFormed(value);

export interface LeafField {
  readonly test: (value: unknown) => boolean;
  /** Completes "must be …". */
  readonly form: string;
}

/** Fields of a leaf of version 1. */
export type FieldV1 = Exclude<keyof LeafEvent, 'context' | 'coverage'>;

/** Form of each field of version 1, independent of the type of the leaf, in canonical (UTF-16) order of the names. */
export const FIELDS_V1: Readonly<Record<FieldV1, LeafField>> = {
  action: { test: orNull(isHash), form: '64 lower-case hex digits or null' },
  actionKind: { test: orNull(member(ACTION_KIND)), form: `one of ${Object.keys(ACTION_KIND).join(', ')} or null` },
  agentId: { test: isUuid, form: 'a UUID in lower case' },
  allowed: { test: orNull((value) => typeof value === 'boolean'), form: 'true, false or null' },
  detail: { test: orNull(isText), form: 'a string without lone surrogates or null' },
  eventId: { test: isUuidV7, form: 'a UUID v7 in lower case' },
  occurredAt: { test: isInstant, form: 'an instant in ISO 8601 UTC with milliseconds' },
  outcome: {
    test: orNull((value) => isCheckOutcome(value) || isReportedOutcome(value)),
    form: `one of ${[...Object.keys(CHECK_OUTCOME), ...Object.keys(REPORTED_OUTCOME)].join(', ')} or null`,
  },
  payload: { test: orNull(isHash), form: '64 lower-case hex digits or null' },
  profileSha256: { test: orNull(isHash), form: '64 lower-case hex digits or null' },
  profileVersion: { test: orNull((value) => isWhole(value, 1)), form: 'a whole number from 1 or null' },
  reason: { test: orNull(isText), form: 'a string without lone surrogates or null' },
  refersTo: { test: orNull(isUuidV7), form: 'a UUID v7 in lower case or null' },
  rule: { test: orNull(isText), form: 'a string without lone surrogates or null' },
  severity: { test: orNull(member(SEVERITY)), form: `one of ${Object.keys(SEVERITY).join(', ')} or null` },
  type: { test: member(LEAF_TYPE), form: `one of ${Object.keys(LEAF_TYPE).join(', ')}` },
  v: { test: (value) => value === 1, form: '1 or 2' },
  violation_type: { test: orNull(member(VIOLATION)), form: `one of ${Object.keys(VIOLATION).join(', ')} or null` },
};

const identifierOrNull: LeafField = { test: orNull(isIdentifier), form: 'an identifier or null' };

/** Form of each field of version 2, likewise. */
export const FIELDS_V2: Readonly<Record<keyof LeafEvent, LeafField>> = {
  ...FIELDS_V1,
  context: { test: orNull(isHash), form: '64 lower-case hex digits or null' },
  coverage: { test: orNull(isCoverage), form: `at most ${MOST_COVERAGE} identifiers, ascending, or null` },
  outcome: identifierOrNull,
  type: { test: isType, form: 'words with dots between them, at most 64 characters' },
  v: { test: (value) => value === 2, form: '1 or 2' },
  violation_type: identifierOrNull,
};

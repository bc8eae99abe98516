import { ACCOUNT_EVENTS, isAccountStream } from '@countersign/contracts';
import type { LeafEvent, LeafTypeV1 } from '@countersign/contracts';
import { isRecord, read, refuse, type Reading } from '../reading.js';
import { FIELDS_V1, FIELDS_V2, isCheckOutcome, isReportedOutcome, type LeafField } from './leaf-fields.js';

type Field = keyof LeafEvent;

/** Filled in every leaf, whatever its type. */
const ALWAYS: readonly Field[] = ['v', 'type', 'eventId', 'agentId', 'occurredAt'];

interface Fill {
  /** Not `null`. */
  readonly filled: readonly Field[];
  /** `null` or not. */
  readonly optional: readonly Field[];
}

const COMMITTED: Fill = { filled: ['action'], optional: [] };
const REFERRING: Fill = { filled: ['action'], optional: ['refersTo'] };

/** Fields that each type of version 1 fills; all others are `null` in it. */
const FILLS_V1: Readonly<Record<LeafTypeV1, Fill>> = {
  'action.checked': {
    filled: ['outcome', 'allowed', 'actionKind', 'profileVersion', 'profileSha256', 'action'],
    optional: ['reason', 'severity', 'violation_type', 'rule', 'detail', 'payload'],
  },
  'action.unanswered': { filled: ['refersTo'], optional: [] },
  'action.outcome': { filled: ['refersTo', 'outcome'], optional: ['payload'] },
  'agent.created': COMMITTED,
  'agent.updated': COMMITTED,
  'agent.frozen': COMMITTED,
  'agent.unfrozen': COMMITTED,
  'agent.deactivated': COMMITTED,
  'agent.registered': COMMITTED,
  'profile.changed': { filled: ['profileVersion', 'profileSha256', 'action'], optional: [] },
  'content.erased': REFERRING,
  'retention.applied': REFERRING,
};

const APPROVAL: Fill = {
  filled: ['action'],
  optional: [
    'refersTo',
    'outcome',
    'reason',
    'severity',
    'violation_type',
    'rule',
    'detail',
    'actionKind',
    'profileVersion',
    'profileSha256',
    'payload',
    'context',
  ],
};

/** Fields that each type of version 2 fills; a type that is not listed may fill any. */
const FILLS_V2: Readonly<Record<string, Fill>> = {
  ...Object.fromEntries(
    Object.entries(FILLS_V1).map(([type, { filled, optional }]) => [
      type,
      { filled, optional: [...optional, 'context'] },
    ]),
  ),
  'action.checked': {
    filled: [...FILLS_V1['action.checked'].filled, 'context', 'coverage'],
    optional: FILLS_V1['action.checked'].optional,
  },
  'approval.requested': APPROVAL,
  'approval.decided': APPROVAL,
  'approval.expired': APPROVAL,
  'approval.consumed': APPROVAL,
};

/** Fields of every event of an account itself, also of one of a type that a later release adds. */
const ACCOUNT: Fill = { filled: ['action', 'detail'], optional: ['refersTo', 'outcome', 'context'] };
/** `user:<id>`, or an identifier. */
const ACTOR = /^(?:user:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-z][a-z0-9_]{0,63})$/;

interface Rules {
  readonly mustFill: readonly Field[];
  readonly mustBeNull: readonly Field[];
}

/** One version of the leaf: the form of each field, and what each type fills. */
interface Version {
  readonly forms: Readonly<Record<string, LeafField>>;
  readonly fields: readonly [Field, LeafField][];
  readonly rules: ReadonlyMap<string, Rules>;
}

function version(forms: Readonly<Record<string, LeafField>>, fills: Readonly<Record<string, Fill>>): Version {
  const fields = Object.entries(forms) as [Field, LeafField][];
  const rules = new Map<string, Rules>();
  for (const [type, fill] of Object.entries(fills)) rules.set(type, rulesOf(fields, fill));
  return { forms, fields, rules };
}

function rulesOf(fields: readonly [Field, LeafField][], { filled, optional }: Fill): Rules {
  const may = new Set<Field>([...ALWAYS, ...filled, ...optional]);
  return { mustFill: filled, mustBeNull: fields.map(([name]) => name).filter((name) => !may.has(name)) };
}

const V1 = version(FIELDS_V1, FILLS_V1);
const V2 = version(FIELDS_V2, FILLS_V2);
const ACCOUNT_RULES = rulesOf(V2.fields, ACCOUNT);

/**
 * The one predicate for leaves: exactly the fields of their version (18 or 20), each of its form, filled as the leaf's
 * type requires. Every component that numbers or anchors leaves MUST skip exactly what this refuses.
 */
export function readLeaf(value: unknown): Reading<LeafEvent> {
  if (!isRecord(value)) return refuse('a leaf event must be an object');
  const { fields, forms, rules } = value['v'] === 2 ? V2 : V1;
  for (const [name, field] of fields) {
    if (!Object.hasOwn(value, name)) return refuse(`${name} is missing`);
    if (!field.test(value[name])) return refuse(`${name} must be ${field.form}`);
  }
  const names = Object.keys(value);
  if (names.length !== fields.length) {
    const extra = names.find((name) => !Object.hasOwn(forms, name));
    return refuse(`a leaf event has no field ${JSON.stringify(extra)}`);
  }
  const leaf = value as unknown as LeafEvent;
  const problem = leaf.type.startsWith(ACCOUNT_EVENTS)
    ? accountProblem(leaf)
    : (fillProblem(leaf, rules.get(leaf.type)) ?? outcomeProblem(leaf));
  return problem === null ? read(leaf) : refuse(problem);
}

function fillProblem(leaf: LeafEvent, rules: Rules | undefined): string | null {
  if (rules === undefined) return null;
  for (const name of rules.mustFill) if (leaf[name] === null) return `${name} must be filled in ${leaf.type}`;
  for (const name of rules.mustBeNull) if (leaf[name] !== null) return `${name} must be null in ${leaf.type}`;
  return null;
}

function accountProblem(leaf: LeafEvent): string | null {
  if (!isAccountStream(leaf.agentId)) return `agentId must be a UUID of version 8 in ${leaf.type}`;
  const problem = fillProblem(leaf, ACCOUNT_RULES);
  if (problem !== null) return problem;
  return ACTOR.test(leaf.detail ?? '') ? null : `detail must be user:<UUID> or an identifier in ${leaf.type}`;
}

function outcomeProblem(leaf: LeafEvent): string | null {
  if (leaf.type === 'action.outcome') {
    return isReportedOutcome(leaf.outcome) ? null : 'outcome of action.outcome must be succeeded, failed or skipped';
  }
  if (leaf.type !== 'action.checked') return null;
  if (!isCheckOutcome(leaf.outcome)) return 'outcome of action.checked must be what was decided';
  if (leaf.allowed !== (leaf.outcome === 'allowed')) return 'allowed must be true exactly where outcome is "allowed"';
  if (leaf.violation_type !== null && leaf.outcome !== 'allowed' && leaf.outcome !== 'denied') {
    return `violation_type must be null where outcome is "${leaf.outcome}"`;
  }
  if (leaf.outcome === 'denied' && leaf.violation_type === null) return 'violation_type must be filled in a denial';
  const explained = leaf.outcome !== 'allowed' || leaf.violation_type !== null;
  for (const name of ['reason', 'severity'] as const) {
    if (explained && leaf[name] === null) return `${name} must be filled where a check was refused or broke a rule`;
    if (!explained && leaf[name] !== null) return `${name} must be null where a check was allowed without a violation`;
  }
  return leaf.rule !== null && leaf.violation_type === null ? 'rule must be null without a violation' : null;
}

import type { LeafEvent, LeafType } from '@countersign/contracts';
import { isRecord, read, refuse, type Reading } from '../reading.js';
import { isCheckOutcome, isReportedOutcome, LEAF_FIELDS } from './leaf-fields.js';

type Field = keyof LeafEvent;

const FIELDS = Object.entries(LEAF_FIELDS) as [Field, (typeof LEAF_FIELDS)[Field]][];

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

/** Fields that each type fills; all others are `null` in it. */
const FILLS: Readonly<Record<LeafType, Fill>> = {
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

interface Rules {
  readonly mustFill: readonly Field[];
  readonly mustBeNull: readonly Field[];
}

const RULES = new Map<LeafType, Rules>(
  (Object.entries(FILLS) as [LeafType, Fill][]).map(([type, fill]) => {
    const may = new Set<Field>([...ALWAYS, ...fill.filled, ...fill.optional]);
    return [type, { mustFill: fill.filled, mustBeNull: FIELDS.map(([name]) => name).filter((name) => !may.has(name)) }];
  }),
);

/**
 * The one predicate for leaves: exactly the 18 fields of the format, each of its form, filled as the leaf's type
 * requires. Every component that numbers or anchors leaves MUST skip exactly what this refuses.
 */
export function readLeaf(value: unknown): Reading<LeafEvent> {
  if (!isRecord(value)) return refuse('a leaf event must be an object');
  for (const [name, field] of FIELDS) {
    if (!Object.hasOwn(value, name)) return refuse(`${name} is missing`);
    if (!field.test(value[name])) return refuse(`${name} must be ${field.form}`);
  }
  const names = Object.keys(value);
  if (names.length !== FIELDS.length) {
    const extra = names.find((name) => !Object.hasOwn(LEAF_FIELDS, name));
    return refuse(`a leaf event has no field ${JSON.stringify(extra)}`);
  }
  const leaf = value as unknown as LeafEvent;
  const problem = fillProblem(leaf) ?? outcomeProblem(leaf);
  return problem === null ? read(leaf) : refuse(problem);
}

function fillProblem(leaf: LeafEvent): string | null {
  const rules = RULES.get(leaf.type)!;
  for (const name of rules.mustFill) if (leaf[name] === null) return `${name} must be filled in ${leaf.type}`;
  for (const name of rules.mustBeNull) if (leaf[name] !== null) return `${name} must be null in ${leaf.type}`;
  return null;
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

import type { OutputRules } from '@countersign/contracts';
import { PII_KINDS } from '@countersign/contracts';
import { readTopic } from '../output/topics.js';

const FIELDS = ['blocked_pii', 'block_secrets', 'blocked_topics', 'max_length'] as const;
const MAX_ENTRIES = 1000;
const MAX_TOPIC_LENGTH = 512;

/** The problem of a value of `output_rules`, or `null`. An omitted rule is unset. */
export function outputRulesProblem(value: unknown, field: string): string | null {
  if (value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value))
    return `${field} must be null or an object of ${FIELDS.join(', ')}`;
  for (const name of Object.keys(value)) {
    if (!(FIELDS as readonly string[]).includes(name)) return `${field} knows only ${FIELDS.join(', ')}`;
  }
  const rules = value as Partial<Record<(typeof FIELDS)[number], unknown>>;
  const { blocked_pii: pii, block_secrets: secrets, blocked_topics: topics, max_length: most } = rules;
  if (secrets !== undefined && typeof secrets !== 'boolean') return `${field}.block_secrets must be true or false`;
  if (most !== undefined && most !== null && !(Number.isSafeInteger(most) && (most as number) >= 0)) {
    return `${field}.max_length must be null or a whole number of characters, zero or more`;
  }
  return (
    entriesProblem(pii, `${field}.blocked_pii`, (kind) =>
      (PII_KINDS as readonly string[]).includes(kind) ? null : `must be one of ${PII_KINDS.join(', ')}`,
    ) ??
    entriesProblem(topics, `${field}.blocked_topics`, (topic) => {
      if (topic.length > MAX_TOPIC_LENGTH) return `is longer than ${MAX_TOPIC_LENGTH} characters`;
      return readTopic(topic) === '' ? 'holds nothing that could be looked for' : null;
    })
  );
}

/** Output rules with omitted rules as unset. */
export function wholeOutputRules(rules: Partial<OutputRules>): OutputRules {
  return {
    blocked_pii: rules.blocked_pii ?? [],
    block_secrets: rules.block_secrets ?? false,
    blocked_topics: rules.blocked_topics ?? [],
    max_length: rules.max_length ?? null,
  };
}

/** Reports whether output rules are complete, as {@link wholeOutputRules} gives them. */
export function isWhole(rules: Partial<OutputRules>): boolean {
  return FIELDS.every((field) => rules[field] !== undefined);
}

function entriesProblem(value: unknown, field: string, problemOf: (entry: string) => string | null): string | null {
  if (value === undefined) return null;
  if (!Array.isArray(value)) return `${field} must be a list of strings`;
  if (value.length > MAX_ENTRIES) return `${field} has more than ${MAX_ENTRIES} entries`;
  for (let i = 0; i < value.length; i += 1) {
    const entry: unknown = value[i];
    if (typeof entry !== 'string') return `${field}[${i}] must be a string`;
    const problem = problemOf(entry);
    if (problem !== null) return `${field}[${i}] ${problem}`;
  }
  return null;
}

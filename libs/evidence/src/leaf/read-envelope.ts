import type { EventEnvelope } from '@countersign/contracts';
import { isSalt } from '../encoding/base64.js';
import { isHash } from '../encoding/hex.js';
import { isInstant } from '../encoding/time.js';
import { isRecord, isWhole, read, refuse, type Reading } from '../reading.js';
import { COMMITMENT_KINDS } from './commitment.js';
import { readLeaf } from './read-leaf.js';

const ANSWER_TEXTS = [
  ...['category', 'pii_kind', 'matched_topic', 'decision', 'code', 'next_action', 'approval_id', 'approval_url'],
  ...['expires_at', 'upgrade_url'],
] as const;
const APPROVAL_TEXTS = ['id', 'ruleId', 'bindingSha256'] as const;

type Check = readonly [name: keyof EventEnvelope, test: (value: unknown) => boolean, form: string];

const CHECKS: readonly Check[] = [
  ['accountId', (value) => typeof value === 'string' && value !== '', 'a string that is not empty'],
  ['cadenceSeconds', (value) => isWhole(value, 1), 'a whole number from 1'],
  ['costMicros', (value) => isWhole(value, 0), 'a whole number from 0'],
  ['countsAction', (value) => typeof value === 'boolean', 'true or false'],
  ['countsRate', (value) => typeof value === 'boolean', 'true or false'],
  ['freezesAgent', (value) => typeof value === 'boolean', 'true or false'],
  ['apiKeyId', (value) => value === null || typeof value === 'string', 'a string or null'],
  ['idempotency', (value) => value === null || isStamp(value), 'null or two hashes'],
  ['answer', (value) => value === null || isAnswer(value), 'null or an object of strings, a length and a budget'],
  ['coverage', (value) => value === null || value === 'governed' || value === 'none', '"governed", "none" or null'],
  ['executedRefusal', (value) => value === undefined || value === true, 'true where it is there'],
  ['order', (value) => value === undefined || isWhole(value, 1), 'a whole number from 1 where it is there'],
  ['ruleCounts', (value) => value === undefined || isRuleCounts(value), 'lists of facts and limits where it is there'],
  ['approvals', (value) => value === undefined || isListOf(value, isApproval), 'a list of approvals where it is there'],
  ['givesBackHeld', (value) => value === undefined || isListOf(value, isHeld), 'a list of amounts where it is there'],
  ['givesBack', (value) => value === undefined || isGivenBack(value), 'a cost and a time where it is there'],
];

/**
 * Reads a message of `agent-events`: an envelope, version 1, around a leaf of either version that {@link readLeaf}
 * accepts. Unknown members are allowed: they change no leaf. Openings are checked by form only; {@link opens} compares them with the commitments.
 */
export function readEnvelope(value: unknown): Reading<EventEnvelope> {
  if (!isRecord(value)) return refuse('an envelope must be an object');
  if (value['v'] !== 1) return refuse('v must be 1');
  const leaf = readLeaf(value['leaf']);
  if (!leaf.ok) return refuse(`leaf: ${leaf.problem}`);
  const openings = value['openings'];
  if (!isRecord(openings)) return refuse('openings must be an object');
  for (const kind of COMMITMENT_KINDS) {
    const opening = openings[kind];
    if (opening === undefined) continue;
    if (!isRecord(opening) || !isSalt(opening['salt'])) return refuse(`openings.${kind} must have a salt of 16 bytes`);
    if (opening['members'] !== undefined) return refuse(`openings.${kind} must show its value as a whole`);
    if ((leaf.value[kind] ?? null) === null)
      return refuse(`openings.${kind} opens nothing: the leaf commits no ${kind}`);
  }
  for (const [name, test, form] of CHECKS) {
    if (!test(value[name])) return refuse(`${name} must be ${form}`);
  }
  return read(value as unknown as EventEnvelope);
}

function isStamp(value: unknown): boolean {
  return isRecord(value) && isHash(value['keySha256']) && isHash(value['bodySha256']);
}

function isGivenBack(value: unknown): boolean {
  return isRecord(value) && isWhole(value['costMicros'], 1) && isInstant(value['occurredAt']);
}

function isListOf(value: unknown, test: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(test);
}

function isRuleCounts(value: unknown): boolean {
  return isRecord(value) && isListOf(value['facts'], isSetFact) && isListOf(value['limits'], isCounted);
}

function isSetFact(value: unknown): boolean {
  return isRecord(value) && isText(value['id']) && isText(value['key']) && isWhole(value['expiresAtMs'], 0);
}

function isCounted(value: unknown): boolean {
  return (
    isRecord(value) && isAmountAt(value) && isWhole(value['windowSeconds'], 1) && typeof value['reserve'] === 'boolean'
  );
}

function isApproval(value: unknown): boolean {
  if (!isRecord(value) || !isInstant(value['expiresAt'])) return false;
  if (!APPROVAL_TEXTS.every((name) => isText(value[name]))) return false;
  return value['state'] !== 'requested' || (isHash(value['ruleSha256']) && isRecord(value['requester']));
}

function isHeld(value: unknown): boolean {
  return isRecord(value) && isAmountAt(value) && isWhole(value['order'], 1) && isWhole(value['atMs'], 0);
}

function isAmountAt({ key, amount }: Readonly<Record<string, unknown>>): boolean {
  return isText(key) && isRecord(amount) && isWhole(amount['units'], 0) && isWhole(amount['nanos'], 0);
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

function isAnswer(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (ANSWER_TEXTS.some((name) => value[name] !== undefined && typeof value[name] !== 'string')) return false;
  if (value['budget'] !== undefined && !isRecord(value['budget'])) return false;
  return value['length'] === undefined || isWhole(value['length'], 0);
}

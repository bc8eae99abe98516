import { hash } from 'node:crypto';
import type { Judgement } from '@countersign/counters';
import { commitMembers } from '@countersign/evidence';
import type { CommitmentKind, MemberText } from '@countersign/evidence';
import { isMalformed, prepareCheck } from '../check/prepare.js';
import { circumstancesText, contextMembers, readCircumstances } from './check-context.js';
import { checkEvent } from './check-event.js';
import type { CheckFacts } from './check-event.js';
import { EntropyPool } from './entropy.js';
import { NO_ORIGIN } from './origin.js';

/**
 * CPU time of the event of a check, in microseconds: `node check-event.bench.js BODY`, the body of `POST /v1/check`. Prints
 * JSON: the median of each figure, and the number of hashes of a leaf of version 2.
 */
const ROUNDS = 10_000;
const REPETITIONS = 9;

const body = Buffer.from(process.argv[2] ?? '');
const read = prepareCheck(body);
if (isMalformed(read)) throw new Error(read.error);
const prepared = read;
const { committed: action, payload } = prepared;
const plan = { cap: 10_000, expires: null };
const facts: CheckFacts = {
  accountId: '0190a5f2-0000-7000-8000-000000000001',
  sandbox: false,
  cadenceSeconds: 1,
  apiKeyId: '0190a5f2-0000-7000-8000-000000000003',
  agentId: prepared.agentId,
  profileVersion: 3,
  profileSha256: 'a'.repeat(64),
  storePayload: true,
  coverage: ['allowed_apis', 'blocked_apis', 'off_limits_actions', 'spending_limit'],
  plan,
  origin: NO_ORIGIN,
  actionKind: 'http_call',
  action,
  payload,
  idempotency: null,
  upgradeUrl: '',
  approvalsUrl: 'https://countersign.example/console#approvals/',
};
const seen = { order: 1, spent: { day: 15_000_000, month: 15_000_000 }, rate: null, plan: { used: 1234 }, limits: {} };
const entropy = new EntropyPool();

/** @param carried of a leaf of version 2; without it the leaf is of version 1 */
function judgement(carried: boolean): Judgement {
  const circumstances = { salt: entropy.salt(), seconds: 1_780_000_000, offsets: '{}', trace: null, signature: null };
  return {
    nowMs: 1_780_000_000_000,
    entropy: entropy.eventId(),
    actionSalt: entropy.salt(),
    payloadSalt: entropy.salt(),
    versions: { account: 1, apiKey: 1, agent: 1 },
    outcome: 'allowed',
    violation: null,
    costMicros: 15_000,
    countsAction: true,
    countsRate: false,
    freezesAgent: false,
    ...(carried ? { carried: circumstancesText(circumstances), seen: { ...seen, facts: [] } } : {}),
  };
}

/** Median CPU time of a call, in microseconds. */
function cost(call: () => void): number {
  const times = Array.from({ length: REPETITIONS }, () => {
    const before = process.cpuUsage();
    for (let round = 0; round < ROUNDS; round += 1) call();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / ROUNDS;
  });
  return times.sort((a, b) => a - b)[REPETITIONS >> 1]!;
}

const first = judgement(true);
const members: readonly (readonly [CommitmentKind, readonly MemberText[]])[] = [
  ['action', action.members ?? []],
  ['payload', payload?.members ?? []],
  [
    'context',
    contextMembers('allowed', 'allow', first.seen!, plan, NO_ORIGIN, readCircumstances(first.carried!), null),
  ],
];
const commitAll = (textHash: (text: string) => string): void => {
  for (const [kind, of] of members) if (of.length > 0) commitMembers(kind, entropy.salt(), of, textHash);
};
/** Texts that are hashed, each in one piece. */
const hashed: string[] = [];
commitAll((text) => {
  hashed.push(Buffer.from(text).toString());
  return hash('sha256', text);
});

process.stdout.write(
  `${JSON.stringify({
    prepare: cost(() => void prepareCheck(body)),
    eventOfVersion1: cost(() => void Buffer.byteLength(checkEvent(judgement(false), facts).text)),
    eventOfVersion2: cost(() => void Buffer.byteLength(checkEvent(judgement(true), facts).text)),
    commitments: cost(() => commitAll((text) => hash('sha256', text))),
    hashesAlone: cost(() => {
      for (const text of hashed) hash('sha256', text);
    }),
    hashes: hashed.length,
  })}\n`,
);

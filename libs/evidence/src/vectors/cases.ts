import type { PackageContent, SignedPackage } from '@countersign/contracts';
import { reportMemo } from '../chain/memo.js';
import type { Sha256 } from '../crypto.js';
import { utf8 } from '../encoding/text.js';
import { contentHash, VERIFICATION_FIELDS } from '../package/canonical.js';
import { publicKeyToPem } from '../signature/public-key.js';
import type { ChainAnswer } from '../verify/options.js';
import { UNVOUCHED, type ProblemCode, type UnsettledCode, type Vouched } from '../verify/result.js';
import { ABSENCE_CASES, absenceStory } from './absence-cases.js';
import { airlineStory, smallStory } from './airline-story.js';
import { AUDIT_CASES, nameAudit } from './audit-cases.js';
import { CHAIN_CASES } from './chain-cases.js';
import { EVENT_CASES } from './event-cases.js';
import { ACCOUNT_CASES, accountStory, FURTHER_CASES, furtherAccountStory } from './account-cases.js';
import { FOLLOW_UP_CASES, followUpStory } from './follow-up-cases.js';
import { LEAF_V2_CASES } from './leaf-v2-cases.js';
import { mixedStory, v2Story } from './leaf-v2-story.js';
import { OVERSIGHT_CASES, oversightStory, stateOversight } from './oversight-cases.js';
import { issueStory, type IssuedStory, NETWORK, seal, type StoryKey } from './story-package.js';
import type { Surroundings, VectorChain, VectorKey } from './surroundings.js';
import { AFTER_SIGNING, BEFORE_SIGNING, type Loose, nameEmptyScope, restate } from './tampered.js';
import { WALK_CASES } from './walk-cases.js';

/** A test vector: a whole `package`, or an `event` and its `proof`, or an `absence`. */
export interface Vector {
  readonly description: string;
  readonly package?: unknown;
  readonly event?: unknown;
  readonly proof?: unknown;
  readonly absence?: unknown;
  /** `null`: no key is given. */
  readonly keys: readonly VectorKey[] | null;
  /** `null`: the chain is not queried. */
  readonly chain: VectorChain | null;
  /** Proofs of absence that the verifier is given in addition to a package. */
  readonly absences?: readonly unknown[];
  /**
   * `vouched`: of a package and of an absence. `unsettled`: codes, in their order; omitted where it is not compared.
   */
  readonly expected: {
    readonly ok: boolean;
    readonly firstProblem: ProblemCode | null;
    readonly vouched?: Vouched;
    readonly unsettled?: readonly UnsettledCode[];
  };
}

/** Names and contents of all vector files; the same bytes on every run. */
export function vectorFiles(sha256: Sha256, keyOf: (seed: Uint8Array) => StoryKey): [name: string, text: string][] {
  const key = keyOf(sha256(utf8('countersign test vectors')));
  const small = issueStory(smallStory(sha256), key, sha256);
  const pending = issueStory({ ...smallStory(sha256), anchored: false }, key, sha256);
  const files: [string, Vector][] = [
    [
      'valid-airline',
      valid('Every kind of event, anchored, opened, signed.', issueStory(airlineStory(sha256), key, sha256), key),
    ],
    ['valid-small', valid('Two agents, two windows, one event not anchored yet.', small, key)],
    ['valid-pending', valid('Issued before its own transaction was final.', pending, key)],
    [
      'valid-empty-data-scope',
      vector(
        'A data access whose scope is empty names none: a gap.',
        { package: resigned(pending, nameEmptyScope, key, sha256) },
        surroundings(pending, key),
        null,
      ),
    ],
    ['resigned-skipped-executed', skippedYetExecuted(key, sha256)],
    ['valid-nothing-anchored', nothingAnchored(key, sha256)],
    ['valid-pending-key-retired', pendingKeyRetired(pending, key)],
  ];
  for (const { name, description, change, expected } of AFTER_SIGNING) {
    const pkg = copy(small.pkg);
    change(pkg);
    files.push([`tampered-${name}`, vector(description, { package: pkg }, surroundings(small, key), expected)]);
  }
  for (const { name, description, change, expected } of BEFORE_SIGNING) {
    const pkg = resigned(pending, change, key, sha256);
    files.push([`resigned-${name}`, vector(description, { package: pkg }, surroundings(pending, key), expected)]);
  }
  for (const { name, description, change, expected, vouched } of CHAIN_CASES) {
    const around = surroundings(small, key);
    change(around, small.pkg);
    files.push([`chain-${name}`, vector(description, { package: small.pkg }, around, expected, vouched)]);
  }
  for (const { name, description, change, expected } of EVENT_CASES) {
    const subject = copy({ event: small.pkg.events[2]!.event, proof: small.pkg.inclusionProofs[2]! });
    const around = surroundings(small, key);
    change(subject, around, small.pkg);
    const made = vector(description, subject, { ...around, withoutKey: true }, expected.firstProblem);
    files.push([`event-${name}`, { ...made, expected }]);
  }
  const absence = absenceStory(small.authority, sha256);
  for (const { name, description, make, expected } of ABSENCE_CASES) {
    const around = {
      ...surroundings(small, key),
      transactions: copy(absence.transactions) as Record<string, ChainAnswer>,
    };
    const subject = { absence: make(absence, around) };
    const vouched = { issuer: false, anchor: name !== 'no-answer' };
    files.push([`absence-${name}`, vector(description, subject, { ...around, withoutKey: true }, expected, vouched)]);
  }
  for (const one of WALK_CASES) {
    const { pkg, around } = one.make(key, sha256);
    const made = vector(one.description, { package: pkg }, around, one.expected ?? null, one.vouched);
    const expected = { ...made.expected, ...(one.unsettled === undefined ? {} : { unsettled: one.unsettled }) };
    files.push([`walk-${one.name}`, { ...made, expected }]);
  }
  for (const { name, description, change, expected, signed } of AUDIT_CASES) {
    const named = (pkg: Loose): void => {
      nameAudit(pkg);
      if (signed) change(pkg);
    };
    const pkg = copy(resigned(pending, named, key, sha256));
    if (!signed) change(pkg);
    files.push([`audit-${name}`, vector(description, { package: pkg }, surroundings(pending, key), expected)]);
  }
  files.push(...leafV2Vectors(key, sha256));
  const trail = issueStory({ ...accountStory(sha256), anchored: false }, key, sha256);
  for (const { name, description, change, expected } of ACCOUNT_CASES) {
    const pkg = resigned(trail, (one) => void change(one), key, sha256);
    files.push([`account-${name}`, vector(description, { package: pkg }, surroundings(trail, key), expected)]);
  }
  const further = issueStory({ ...furtherAccountStory(sha256), anchored: false }, key, sha256);
  for (const { name, description, change, expected } of FURTHER_CASES) {
    const pkg = resigned(further, (one) => void change(one), key, sha256);
    files.push([`account-${name}`, vector(description, { package: pkg }, surroundings(further, key), expected)]);
  }
  const followed = issueStory({ ...followUpStory(sha256), anchored: false }, key, sha256);
  for (const { name, description, change, expected, signed } of FOLLOW_UP_CASES) {
    const pkg = signed ? resigned(followed, (one) => void change(one), key, sha256) : copy(followed.pkg);
    if (!signed) change(pkg);
    files.push([`follow-up-${name}`, vector(description, { package: pkg }, surroundings(followed, key), expected)]);
  }
  const overseen = issueStory(oversightStory(sha256), key, sha256);
  for (const { name, description, change, expected } of OVERSIGHT_CASES) {
    const pkg = resigned(overseen, (one) => void change(one), key, sha256);
    files.push([`oversight-${name}`, vector(description, { package: pkg }, surroundings(overseen, key), expected)]);
  }
  const without = resigned(pending, stateOversight, key, sha256);
  const words = 'States that there were no approvals, and there were none.';
  files.push(['oversight-no-approvals', vector(words, { package: without }, surroundings(pending, key), null)]);
  return files.map(([name, content]) => [`${name}.json`, `${JSON.stringify(content, null, 1)}\n`]);
}

/** Leaves of version 2, alone and among those of version 1. */
function leafV2Vectors(key: StoryKey, sha256: Sha256): [string, Vector][] {
  const story = mixedStory(sha256);
  const pending = issueStory({ ...story, anchored: false }, key, sha256);
  const files: [string, Vector][] = [
    ['v2-valid', valid('Every kind of leaf of version 2.', issueStory(v2Story(sha256), key, sha256), key)],
    ['v2-mixed', valid('Leaves of both versions in one window.', issueStory(story, key, sha256), key)],
  ];
  for (const { name, description, change, expected } of LEAF_V2_CASES) {
    const pkg = resigned(pending, (one) => void change(one), key, sha256);
    files.push([`v2-${name}`, vector(description, { package: pkg }, surroundings(pending, key), expected)]);
  }
  const [event, proof] = [pending.pkg.events[2]!.event, pending.pkg.inclusionProofs[2]!];
  const around = { ...surroundings(pending, key), withoutKey: true };
  const alone = (description: string, given: object, firstProblem: ProblemCode | null): Vector => {
    const { expected, ...rest } = vector(description, { event: given, proof }, around, firstProblem);
    return { ...rest, expected: { ok: expected.ok, firstProblem } };
  };
  files.push(
    ['v2-event-valid', alone('A leaf of version 2 and its proof.', event, null)],
    ['v2-event-coverage', alone('Its coverage is another.', { ...event, coverage: [] }, 'proof-root-differs')],
    ['v2-event-v1', alone('The same members, as version 1.', { ...event, v: 1 }, 'leaf-invalid')],
  );
  return files;
}

function valid(description: string, issued: IssuedStory, key: StoryKey): Vector {
  return vector(description, { package: issued.pkg }, surroundings(issued, key), null);
}

/** The package shows the one outcome of the check: no other is reported outside of it. */
function skippedYetExecuted(key: StoryKey, sha256: Sha256): Vector {
  const issued = issueStory({ ...airlineStory(sha256), anchored: false }, key, sha256);
  const change = (pkg: Loose): void => {
    const skipped = pkg.events.find(({ event }: Loose) => event.outcome === 'skipped');
    const check = pkg.events.find(({ event }: Loose) => event.eventId === skipped.event.refersTo);
    restate(check, 'Gap, review required', 'The check was refused, and its execution was reported.');
    pkg.summary.prevented -= 1;
    pkg.summary.gap += 1;
  };
  const words = 'A refused check that was reported as skipped, said to have been executed.';
  return vector(words, { package: resigned(issued, change, key, sha256) }, surroundings(issued, key), 'status-differs');
}

/** With nothing anchored there is nothing to vouch for. */
function nothingAnchored(key: StoryKey, sha256: Sha256): Vector {
  const story = smallStory(sha256);
  const agents = story.agents.map((agent) => ({ ...agent, windows: agent.windows.map(() => null) }));
  const issued = issueStory({ ...story, agents, anchored: false }, key, sha256);
  const around = surroundings(issued, key);
  return vector('Issued before anything was anchored.', { package: issued.pkg }, around, null, { anchor: false });
}

function pendingKeyRetired(issued: IssuedStory, key: StoryKey): Vector {
  const around = surroundings(issued, key);
  around.key = { ...around.key, status: 'retired', validTo: '2026-03-03T00:00:00.000Z' };
  const words =
    'Signed by a key that is retired, and its own transaction proves no time: the windows alone are vouched for.';
  return vector(words, { package: issued.pkg }, around, null, { issuer: false });
}

export function surroundings(issued: IssuedStory, key: StoryKey): Surroundings {
  return {
    key: { pem: publicKeyToPem(key.publicKey), status: 'active', validFrom: '2026-03-01T00:00:00.000Z', validTo: null },
    withoutKey: false,
    authorities: [issued.authority],
    network: NETWORK,
    transactions: copy(issued.transactions) as Record<string, ChainAnswer>,
  };
}

export function vector(
  description: string,
  subject: Pick<Vector, 'package' | 'event' | 'proof' | 'absence'>,
  { key, withoutKey, network, authorities, transactions, walks, absences }: Surroundings,
  firstProblem: ProblemCode | null,
  vouched: Partial<Vouched> = {},
): Vector {
  const ok = firstProblem === null;
  return {
    description,
    ...subject,
    keys: withoutKey ? null : [key],
    chain: { network, authorities, transactions, ...(walks === undefined ? {} : { walks }) },
    ...(absences === undefined ? {} : { absences }),
    expected: { ok, firstProblem, vouched: ok ? { issuer: true, anchor: true, ...vouched } : UNVOUCHED },
  };
}

/** Changed and signed again, with the content hash that follows unless the change is about that. */
export function resigned(
  issued: IssuedStory,
  change: (pkg: Loose) => void,
  key: StoryKey,
  sha256: Sha256,
): SignedPackage {
  const pkg = copy(issued.pkg);
  change(pkg);
  const { timestamp, ...content } = pkg;
  for (const field of VERIFICATION_FIELDS) delete content[field];
  const hash = contentHash(content as PackageContent, sha256);
  const message = timestamp.message === issued.pkg.timestamp.message ? reportMemo(hash) : timestamp.message;
  return seal(content as PackageContent, { ...timestamp, message }, key, sha256);
}

function copy(value: unknown): Loose {
  return JSON.parse(JSON.stringify(value));
}

import { REDECISION_TOTALS } from '@countersign/contracts';
import type { EventStatus, Framework, PackageRedecision } from '@countersign/contracts';
import { isMembersOpening } from '../leaf/opening.js';
import { isRecord, isWhole } from '../reading.js';
import {
  anything,
  base58,
  both,
  count,
  hash,
  instant,
  list,
  name,
  nullable,
  object,
  oneOf,
  positive,
  recordOf,
  salt,
  type Shape,
  text,
  uuid,
  uuidV7,
  where,
} from './shape.js';

const FRAMEWORK: Readonly<Record<Framework, true>> = {
  soc2: true,
  euaiact: true,
  hipaa: true,
  'sr11-7': true,
  'sr26-2': true,
  nydfs: true,
};
const STATUS: Readonly<Record<EventStatus, true>> = { Satisfied: true, Prevented: true, 'Gap, review required': true };

const framework = oneOf(...Object.keys(FRAMEWORK));
const status = oneOf(...Object.keys(STATUS));
const relation = oneOf('direct', 'supporting', 'contextual');
const path = list(hash);

/** A label of a window: whole seconds long, and a multiple of its duration since the epoch. */
export const windowLabel: Shape = where((value) => {
  const { windowStart, windowEnd } = value as { readonly windowStart: string; readonly windowEnd: string };
  const start = Date.parse(windowStart);
  const duration = Date.parse(windowEnd) - start;
  return duration > 0 && duration % 1000 === 0 && start % duration === 0;
}, 'of a window that is a whole number of seconds long and begins at a multiple of it');

const sequenceRun = where((value) => {
  const leaf = value as { readonly firstSequence: number; readonly lastSequence: number; readonly count: number };
  return leaf.count === leaf.lastSequence - leaf.firstSequence + 1;
}, 'of as many events as its sequences');

/** The leaf of an agent in a window tree. */
export const windowLeafShape: Shape = both(
  object({ agentKey: hash, count: positive, firstSequence: positive, lastSequence: positive, agentRoot: hash }),
  sequenceRun,
);

export const anchoredProofShape: Shape = both(
  object({
    eventId: uuidV7,
    anchored: oneOf(true),
    leafIndex: count,
    treeSize: positive,
    path,
    agent: object({
      agentKey: hash,
      firstSequence: positive,
      lastSequence: positive,
      agentRoot: hash,
      leafIndex: count,
      treeSize: positive,
      path,
    }),
    merkleRoot: hash,
    txSignature: base58,
    network: name,
    windowStart: instant,
    windowEnd: instant,
  }),
  windowLabel,
);

const byMembers = where(
  isMembersOpening,
  '{members}: 1 to 32 digests and members, at least one of them shown, in the order of their names',
);

/** `salt` and `value`, or some of the members of the value. */
function opening(bySalt: Shape): Shape {
  return (value) => (isRecord(value) && Object.hasOwn(value, 'members') ? byMembers(value) : bySalt(value));
}

const kept = opening(object({ salt, value: anything }));

const event = object(
  {
    event: anything,
    sequence: positive,
    opened: object({}, { action: kept, payload: opening(object({ salt }, { value: anything })), context: kept }),
    status,
    statusReason: nullable(text),
    controls: list(
      object({
        framework,
        controlId: name,
        title: text,
        relation,
        status,
      }),
    ),
  },
  { erased: oneOf(true), outsideRange: oneOf(true) },
);

const agent = object({
  id: uuid,
  name: text,
  type: nullable(text),
  purpose: nullable(text),
  version: nullable(text),
  status: text,
  blockchain_ssn: nullable(text),
  wallet_address: nullable(base58),
  chain_tx_signature: nullable(base58),
  firstSequence: nullable(positive),
  lastSequence: nullable(positive),
  count,
  anchors: list(
    object({
      merkle_root: hash,
      chain_tx_signature: base58,
      chain_block_height: count,
      anchored_at: instant,
      window_start: instant,
      window_end: instant,
    }),
  ),
});

const window = both(
  object({
    agentId: uuid,
    windowStart: instant,
    windowEnd: instant,
    merkleRoot: hash,
    txSignature: base58,
    network: name,
    leaf: windowLeafShape,
    leafIndex: count,
    treeSize: positive,
    path,
  }),
  windowLabel,
);

/** Counts of the events of a package, without their number. */
export const TALLIES = {
  allowed: count,
  denied: count,
  frozen: count,
  capped: count,
  satisfied: count,
  prevented: count,
  gap: count,
  anchored: count,
  unanchored: count,
  byViolation: recordOf(count),
};

const summary = object({ events: count, ...TALLIES, outcomes: object({ reported: count, of: count }) });

export const auditShape: Shape = object({
  organisation: text,
  system: nullable(text),
  environment: nullable(text),
  preparedBy: object({ id: name, name: text }),
  mappingReview: nullable(object({ by: text, on: text })),
});

const mappingRow = object({
  framework,
  controlId: name,
  relation,
  rationale: text,
  source: object({ edition: text, url: text }),
});

const totals = object(Object.fromEntries(REDECISION_TOTALS.map((member) => [member, count])));

const redecision = both(
  object({
    rule: text,
    engine: object({ engine: text, detectors: text }),
    totals,
    breaks: list(object({ agentId: uuid, sequence: positive, balance: text })),
  }),
  where((value) => {
    const { totals: stated, breaks } = value as PackageRedecision;
    const { checks, same, different, withheld, erased, not_checked: notChecked } = stated;
    return same + different + withheld + erased + notChecked === checks && breaks.length === stated.broken;
  }, 'with verdicts that add up to the checks, and a break for each agent with broken balances'),
);

const figures = { approved: count, denied: count, medianMs: nullable(count), under3s: count };

const oversight = object({
  totals: object({
    requested: count,
    earlier: count,
    approved: count,
    denied: count,
    expired: count,
    pending: count,
  }),
  consumed: count,
  latency: object({ of: count, medianMs: nullable(count), under3s: count }),
  people: list(object({ by: text, role: text, shown: count, ...figures })),
  rules: list(object({ agentId: uuid, rule: nullable(text), expired: count, pending: count, ...figures })),
  notShown: object({ withheld: count, erased: count }),
});

interface ListedControl {
  readonly framework: string;
  readonly controlId: string;
  readonly relation: string;
}

const rowForEachControl = where((value) => {
  const { events, mappingRows } = value as {
    readonly events: readonly { readonly controls: readonly ListedControl[] }[];
    readonly mappingRows?: readonly ListedControl[];
  };
  if (mappingRows === undefined) return true;
  const keyOf = (one: ListedControl): string => JSON.stringify([one.framework, one.controlId, one.relation]);
  const rows = new Set(mappingRows.map(keyOf));
  return (
    rows.size === mappingRows.length && events.every(({ controls }) => controls.every((one) => rows.has(keyOf(one))))
  );
}, 'with one of mappingRows for each control of an event');

export const timestampShape: Shape = both(
  object({
    issued_at: instant,
    anchor: name,
    anchor_tx_signature: nullable(base58),
    anchor_block_height: nullable(count),
    message: text,
  }),
  where((value) => {
    const stamp = value as Readonly<Record<string, unknown>>;
    return stamp['anchor'] === 'pending'
      ? stamp['anchor_tx_signature'] === null && stamp['anchor_block_height'] === null
      : stamp['anchor_tx_signature'] !== null && isWhole(stamp['anchor_block_height'], 0);
  }, 'pending without a transaction, or a network with one'),
);

const proofForEach = where((value) => {
  const pkg = value as { readonly events: readonly unknown[]; readonly inclusionProofs: readonly unknown[] };
  return pkg.events.length === pkg.inclusionProofs.length;
}, 'with as many inclusionProofs as events');

/**
 * The form of every field of a package except leaf events and proofs, which are read individually so that each has its
 * own result.
 */
export const packageShape: Shape = both(
  object(
    {
      reportId: uuid,
      generator: object({ name: text, version: text }),
      range: object({ from: instant, to: instant }),
      frameworks: list(framework),
      mapping: object({ version: text, sha256: hash }),
      scope: object({ soc2: anything, hipaa: anything, euaiact: anything, nydfs: anything }),
      statements: list(object({ framework, text })),
      anchorAuthorities: list(
        object({ address: base58, network: name, validFrom: nullable(instant), validTo: nullable(instant) }),
      ),
      agents: list(agent),
      events: list(event),
      inclusionProofs: list(anything),
      windows: list(window),
      summary,
      timestamp: timestampShape,
    },
    { signedPages: oneOf(true), audit: auditShape, mappingRows: list(mappingRow), redecision, oversight },
  ),
  both(proofForEach, rowForEachControl),
);

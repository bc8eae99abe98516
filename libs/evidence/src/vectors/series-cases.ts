import type { PackageContent, SeriesContent, SignedPackage, SignedSeries } from '@countersign/contracts';
import { reportMemo } from '../chain/memo.js';
import type { Sha256 } from '../crypto.js';
import { utf8 } from '../encoding/text.js';
import { packageTimestamp, signPackage } from '../package/assemble.js';
import { contentHash, VERIFICATION_FIELDS } from '../package/canonical.js';
import { seriesEntry } from '../series/series-entry.js';
import { assembleSeries } from '../series/series-totals.js';
import { keyId } from '../signature/public-key.js';
import { UNVOUCHED, type ProblemCode, type Vouched } from '../verify/result.js';
import { checked } from './airline-story.js';
import { resigned, surroundings } from './cases.js';
import { hashOfJson, STORY_START, storyEvent, storySignature, storyUuid, type Draft } from './events.js';
import { ISSUED_AT, issueStory, NETWORK, type StoryAgent, type StoryKey } from './story-package.js';
import type { VectorChain, VectorKey } from './surroundings.js';

/** A series, the packages that a verifier is given with it, and the result that it must reach. */
export interface SeriesVector {
  readonly description: string;
  readonly series: unknown;
  /** In the order in which they are given; empty: the series alone. */
  readonly packages: readonly unknown[];
  readonly keys: readonly VectorKey[] | null;
  readonly chain: VectorChain | null;
  readonly expected: {
    readonly ok: boolean;
    readonly firstProblem: ProblemCode | null;
    readonly vouched: Vouched;
  };
}

type Loose = ReturnType<typeof JSON.parse>;

interface Made {
  series: Loose;
  packages: Loose[];
  /** Changes and signs a package again, as its issuer could. */
  readonly resign: (pkg: Loose, change: (pkg: Loose) => void) => Loose;
  /** A package of another account, by the same issuer. */
  readonly stranger: Loose;
}

interface Case {
  readonly name: string;
  readonly description: string;
  /** Before the series is signed. */
  readonly change?: (made: Made) => void;
  /** Before the entries are computed from the packages. */
  readonly issue?: (made: Made) => void;
  /** After it is signed. */
  readonly after?: (made: Made) => void;
  readonly expected: ProblemCode | null;
  readonly vouched?: Partial<Vouched>;
}

const MINUTE = 60_000;
const at = (minutes: number): string => new Date(STORY_START + minutes * MINUTE).toISOString();
const RANGES = [
  [0, 5],
  [5, 10],
  [10, 20],
] as const;

/** Minutes of the events of two agents in each range; a window for each range, the last event of all is not anchored. */
const DESK = [
  [1, 2, 4],
  [5, 7],
  [11, 12, 13],
] as const;
const REFUNDS = [[3], [], [15]] as const;

const CASES: readonly Case[] = [
  {
    name: 'valid-three',
    description: 'Three packages of two agents; one agent rests in the second.',
    expected: null,
  },
  {
    name: 'valid-any-order',
    description: 'The packages are given in another order than they are listed in.',
    after: ({ packages }) => packages.reverse(),
    expected: null,
  },
  {
    name: 'valid-alone',
    description: 'The series without its packages: nothing is wrong, and nobody vouches for what it lists.',
    after: (made) => (made.packages = []),
    expected: null,
    vouched: UNVOUCHED,
  },
  {
    name: 'valid-change-stated',
    description: 'The control mapping and the frameworks changed between two packages, and the series states it.',
    issue: (made) => {
      made.packages[1] = made.resign(made.packages[1], (pkg) => {
        pkg.mapping.version = '2026-04';
        pkg.frameworks = ['soc2'];
      });
    },
    expected: null,
  },
  {
    name: 'package-missing',
    description: 'The second package was not given.',
    after: ({ packages }) => packages.splice(1, 1),
    expected: 'series-package-missing',
  },
  {
    name: 'byte-altered',
    description: 'One letter of a package was changed.',
    after: ({ packages }) => (packages[1].events[0].event.eventId = packages[0].events[0].event.eventId),
    expected: 'series-package-unlisted',
  },
  {
    name: 'package-issued-again',
    description: 'The issuer signed another package of the same id.',
    after: (made) => (made.packages[1] = made.resign(made.packages[1], (pkg) => (pkg.generator.version = '1.0.1'))),
    expected: 'series-package-unlisted',
  },
  {
    name: 'of-another-account',
    description: 'A package of another account, by the same issuer, in place of one that is listed.',
    after: (made) => (made.packages[1] = made.stranger),
    expected: 'series-package-unlisted',
  },
  {
    name: 'entries-swapped',
    description: 'Two packages are listed in the order of the other.',
    change: ({ series }) => series.packages.reverse(),
    expected: 'series-range-differs',
  },
  {
    name: 'hashes-swapped',
    description: 'Each of two entries has the hash of the other.',
    change: ({ series: { packages } }) => {
      [packages[0].sha256, packages[1].sha256] = [packages[1].sha256, packages[0].sha256];
    },
    expected: 'series-package-differs',
  },
  {
    name: 'range-between',
    description: 'A minute between two packages is in none.',
    issue: (made) => {
      made.packages[1] = made.resign(made.packages[1], (pkg) => (pkg.range.to = at(9)));
    },
    expected: 'series-range-differs',
  },
  {
    name: 'ranges-overlap',
    description: 'A minute is in two packages.',
    issue: (made) => {
      made.packages[1] = made.resign(made.packages[1], (pkg) => (pkg.range.to = at(10.5)));
    },
    expected: 'series-range-differs',
  },
  {
    name: 'end-missing',
    description: 'The series says that it ends later than its last package does.',
    change: ({ series }) => (series.range.to = at(30)),
    expected: 'series-range-differs',
  },
  {
    name: 'numbers-between',
    description: 'An event lies between two packages and is in neither.',
    issue: (made) => (made.packages[2] = made.stranger),
    expected: 'series-sequence-missing',
  },
  {
    name: 'agents-differ',
    description: 'An agent is said to have had fewer events.',
    change: ({ series }) => {
      series.agents[0].lastSequence -= 1;
      series.agents[0].count -= 1;
    },
    expected: 'series-agents-differ',
  },
  {
    name: 'totals-differ',
    description: 'One denial fewer is stated than the packages have.',
    change: ({ series }) => (series.totals.denied -= 1),
    expected: 'series-totals-differ',
  },
  {
    name: 'totals-too-large',
    description: 'Two entries count so many events that no series can state their sum.',
    change: ({ series }) => {
      for (const entry of series.packages.slice(0, 2)) entry.counts.events = Number.MAX_SAFE_INTEGER;
      series.totals.events = Number.MAX_SAFE_INTEGER;
    },
    expected: 'series-totals-differ',
  },
  {
    name: 'change-not-stated',
    description: 'The control mapping changed between two packages, and the series does not state it.',
    issue: (made) => {
      made.packages[1] = made.resign(made.packages[1], (pkg) => (pkg.mapping.version = '2026-04'));
    },
    change: ({ series }) => (series.changes = []),
    expected: 'series-changes-differ',
  },
  {
    name: 'counts-differ',
    description: 'A package has another number of denials than its entry; the totals are the sums of the entries.',
    change: ({ series }) => {
      series.packages[0].counts.denied -= 1;
      series.packages[0].counts.allowed += 1;
      series.totals.denied -= 1;
      series.totals.allowed += 1;
    },
    expected: 'series-package-differs',
  },
  {
    name: 'denials-differ',
    description: 'An entry leaves out denials of its package.',
    change: ({ series }) => series.packages[0].denials.pop(),
    expected: 'series-package-differs',
  },
  {
    name: 'package-does-not-hold',
    description: 'A package is the one that is listed, and its own summary is wrong.',
    issue: (made) => {
      made.packages[1] = made.resign(made.packages[1], (pkg) => (pkg.summary.allowed += 1));
    },
    expected: 'series-package-invalid',
  },
  {
    name: 'listed-twice',
    description: 'A package is listed twice.',
    change: ({ series }) => series.packages.push(series.packages[0]),
    expected: 'structure',
  },
  {
    name: 'member-added',
    description: 'An entry has a member that does not follow from its package.',
    change: ({ series }) => (series.packages[0].note = 'complete'),
    expected: 'structure',
  },
  {
    name: 'a-package',
    description: 'It says that it is a package.',
    change: ({ series }) => (series.schemaVersion = '1.0.0'),
    expected: 'unsupported-schema',
  },
  {
    name: 'altered',
    description: 'The totals were changed after it was signed.',
    after: ({ series }) => (series.totals.denied -= 1),
    expected: 'signature-invalid',
  },
  {
    name: 'hash-altered',
    description: 'Its member sha256 is another one.',
    after: ({ series }) => (series.sha256 = '0'.repeat(64)),
    expected: 'sha256-differs',
  },
];

/** Names and contents of the vector files of series; the same bytes on every run. */
export function seriesVectorFiles(
  sha256: Sha256,
  keyOf: (seed: Uint8Array) => StoryKey,
): [name: string, text: string][] {
  const key = keyOf(sha256(utf8('countersign test vectors')));
  const files = CASES.map((one): [string, SeriesVector] => [one.name, vectorOf(one, key, sha256)]);
  files.push(['valid-overlap', overlapping(null, key, sha256)], ['overlap-differs', overlapping('other', key, sha256)]);
  return files.map(([name, content]) => [`${name}.json`, `${JSON.stringify(content, null, 1)}\n`]);
}

function vectorOf(one: Case, key: StoryKey, sha256: Sha256): SeriesVector {
  const issued = RANGES.map(([from, to], i) => issuedPackage(i, from, to, storyAgents(i, sha256), key, sha256));
  const resign = (pkg: Loose, change: (pkg: Loose) => void): Loose => copy(signAgain(pkg, change, key, sha256));
  // Of the last range, without the first event of an agent.
  const [desk, refunds] = storyAgents(2, sha256);
  const short = {
    ...desk!,
    firstSequence: desk!.firstSequence + 1,
    events: desk!.events.slice(1),
    windows: [2, 2],
  };
  const stranger = issuedPackage(7, 10, 20, [short, refunds!], key, sha256);
  const made: Made = {
    series: null,
    packages: issued.map(({ pkg }) => copy(pkg)),
    resign,
    stranger: copy(stranger.pkg),
  };
  one.issue?.(made);
  const content = copy(seriesOf(made.packages, sha256));
  made.series = content;
  one.change?.(made);
  const { series, transactions } = signSeries(made.series, key, sha256);
  made.series = copy(series);
  one.after?.(made);
  const around = surroundings(issued[0]!, key);
  const ok = one.expected === null;
  return {
    description: one.description,
    series: made.series,
    packages: made.packages,
    keys: [around.key],
    chain: {
      network: NETWORK,
      authorities: around.authorities,
      transactions: {
        ...Object.assign({}, ...[stranger, ...issued].map((each) => each.transactions)),
        ...transactions,
      },
    },
    expected: {
      ok,
      firstProblem: one.expected,
      vouched: ok ? { issuer: true, anchor: true, ...one.vouched } : UNVOUCHED,
    },
  };
}

/** Clocks differ: an event of the second range has a lower number than one of the first, and both packages hold both. */
function overlapping(other: 'other' | null, key: StoryKey, sha256: Sha256): SeriesVector {
  const minutes = [1, 5.2, 4.8, 6];
  const whole = agentOf('Clocks', 1, minutes, [null, null, null, null], sha256);
  const changed = agentOf('Clocks', 1, minutes, [null, null, null, null], sha256, other ?? '');
  const part = ({ events, ...agent }: StoryAgent, first: number, last: number): StoryAgent => ({
    ...agent,
    firstSequence: first,
    events: events.slice(first - 1, last),
    windows: events.slice(first - 1, last).map(() => null),
  });
  const issued = [
    issuedPackage(0, 0, 5, [part(whole, 1, 3)], key, sha256),
    issuedPackage(1, 5, 10, [part(changed, 2, 4)], key, sha256),
  ];
  const packages = issued.map(({ pkg }) => copy(pkg));
  const { series, transactions } = signSeries(seriesOf(packages, sha256), key, sha256);
  const around = surroundings(issued[0]!, key);
  const ok = other === null;
  return {
    description: ok
      ? 'Clocks differ: two events are in two packages, and each counts in the one of its time.'
      : 'The same number of an agent is another event in another package.',
    series: copy(series),
    packages,
    keys: [around.key],
    chain: { network: NETWORK, authorities: around.authorities, transactions },
    expected: {
      ok,
      firstProblem: ok ? null : 'series-overlap-differs',
      vouched: ok ? { issuer: true, anchor: false } : UNVOUCHED,
    },
  };
}

function storyAgents(i: number, sha256: Sha256): StoryAgent[] {
  const before = (minutes: readonly (readonly number[])[]): number => minutes.slice(0, i).flat().length;
  const desk = DESK[i]!;
  const refunds: readonly number[] = REFUNDS[i]!;
  return [
    agentOf(
      'Booking desk',
      7 + before(DESK),
      desk,
      desk.map(() => i),
      sha256,
    ),
    agentOf(
      'Refunds',
      1 + before(REFUNDS),
      refunds,
      refunds.map(() => (i === 2 ? null : i)),
      sha256,
    ),
  ];
}

/** Checks at these minutes: every second one is denied. */
function agentOf(
  name: string,
  firstSequence: number,
  minutes: readonly number[],
  windows: readonly (number | null)[],
  sha256: Sha256,
  salt = '',
): StoryAgent {
  const id = storyUuid(name, STORY_START, sha256);
  const profile = hashOfJson({ agent_id: id, version: 2 }, sha256);
  const events = minutes.map((minute, i) => {
    const atMs = STORY_START + minute * MINUTE;
    const sequence = firstSequence + i;
    const eventId = storyUuid(`${name} ${sequence}${salt}`, atMs, sha256);
    return storyEvent(draftOf(sequence, profile), { agentId: id, eventId, atMs }, sha256);
  });
  return { id, name, firstSequence, events, windows };
}

function draftOf(sequence: number, profile: string): Draft {
  const denied = {
    outcome: 'denied',
    allowed: false,
    reason: 'The tool is off limits.',
    severity: 'P1',
    violation_type: 'off_limits_action',
    rule: sequence % 4 === 0 ? null : 'off_limits_actions:cancel_*',
  } as const;
  return {
    type: 'action.checked',
    fields: checked(profile, sequence % 2 === 0 ? denied : {}),
    action: { type: 'tool_use', tool_name: `tool_${sequence}` },
  };
}

function issuedPackage(
  i: number,
  from: number,
  to: number,
  agents: readonly StoryAgent[],
  key: StoryKey,
  sha256: Sha256,
): ReturnType<typeof issueStory> {
  const issued = issueStory(
    {
      agents,
      otherAgents: 2,
      range: { from: at(from), to: at(to) },
      anchored: false,
      controls: [
        {
          framework: 'soc2',
          controlId: 'CC7.2',
          title: 'Monitoring of system components',
          relation: 'direct',
        },
      ],
    },
    key,
    sha256,
  );
  const reportId = storyUuid(`report of a series ${i}`, STORY_START + 2 * 3_600_000, sha256);
  return {
    ...issued,
    pkg: resigned(issued, (pkg) => (pkg.reportId = reportId), key, sha256),
  };
}

function seriesOf(packages: readonly SignedPackage[], sha256: Sha256): SeriesContent {
  return assembleSeries({
    seriesId: storyUuid('series', STORY_START + 3 * 3_600_000, sha256),
    generator: { name: 'countersign', version: '1.0.0' },
    range: { from: packages[0]!.range.from, to: packages.at(-1)!.range.to },
    packages: packages.map((pkg) => seriesEntry(pkg, sha256)),
    audit: {
      organisation: 'Example Air',
      system: null,
      environment: null,
      preparedBy: { id: 'user-1', name: 'auditor@example.com' },
      mappingReview: null,
    },
  });
}

function signSeries(
  content: SeriesContent,
  key: StoryKey,
  sha256: Sha256,
): {
  readonly series: SignedSeries;
  readonly transactions: VectorChain['transactions'];
} {
  const loose = content as unknown as PackageContent;
  const txSignature = storySignature('series transaction', sha256);
  const anchor = { network: NETWORK, txSignature, blockHeight: 6000 };
  const timestamp = packageTimestamp(contentHash(loose, sha256), ISSUED_AT, anchor);
  const publicKeyUrl = `https://countersign.example/v1/keys/${keyId(key.publicKey, sha256)}`;
  const series = signPackage(loose, timestamp, { publicKeyUrl, sign: key.sign }, sha256) as unknown as SignedSeries;
  const transaction = {
    succeeded: true,
    finalized: true,
    signers: [storySignature('authority', sha256).slice(0, 44)],
    memos: [timestamp.message],
    blockTime: ISSUED_AT,
    blockHeight: 6000,
    slot: 6017,
    confirmations: null,
  };
  return { series, transactions: { [txSignature]: transaction } };
}

function signAgain(pkg: Loose, change: (pkg: Loose) => void, key: StoryKey, sha256: Sha256): SignedPackage {
  const { timestamp, ...content } = copy(pkg);
  for (const field of VERIFICATION_FIELDS) delete content[field];
  change(content);
  const message = reportMemo(contentHash(content as PackageContent, sha256));
  const publicKeyUrl = `https://countersign.example/v1/keys/${keyId(key.publicKey, sha256)}`;
  return signPackage(content as PackageContent, { ...timestamp, message }, { publicKeyUrl, sign: key.sign }, sha256);
}

function copy(value: unknown): Loose {
  return JSON.parse(JSON.stringify(value));
}

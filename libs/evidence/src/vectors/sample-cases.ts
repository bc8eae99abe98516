import type { Sha256 } from '../crypto.js';
import type { SampleProblemCode } from '../sample/check-sample.js';
import { drawSample } from '../sample/draw-sample.js';
import { readSampledPackage, type SampledPackage } from '../sample/population.js';
import { type Sample, SAMPLE_DELAY_SLOTS, type SampleRequest } from '../sample/rule.js';

/** A sample, the package that it was drawn from, and the result of a checker that makes no look-ups. */
export interface SampleVector {
  readonly description: string;
  /** Name of a file in the folder above, which holds the `package`. */
  readonly packageOf: string;
  readonly sample: Sample;
  readonly expected: { readonly ok: boolean; readonly firstProblem: SampleProblemCode | null };
}

type Loose = ReturnType<typeof JSON.parse>;

interface Change {
  readonly name: string;
  readonly description: string;
  readonly expected: SampleProblemCode;
  readonly change: (sample: Loose) => void;
}

const BLOCKHASH = '7qZ1x8kqM2i3k4TjG5rU9LgC6sVbNpYwHdFaEeXoRtWz';
const ANCHOR_SLOT = 301_000_000;

const CHANGES: readonly Change[] = [
  {
    name: 'other-package',
    description: 'Of another content.',
    expected: 'sample-package-differs',
    change: (sample) => (sample.package.contentHash = '0'.repeat(64)),
  },
  {
    name: 'other-transaction',
    description: "Another transaction is said to be the report's.",
    expected: 'sample-anchor-differs',
    change: (sample) => (sample.anchor.txSignature = '2'.repeat(64)),
  },
  {
    name: 'early-slot',
    description: 'One slot before the first block that may be drawn with.',
    expected: 'sample-block-early',
    change: (sample) => (sample.block.slot = ANCHOR_SLOT + SAMPLE_DELAY_SLOTS - 1),
  },
  {
    name: 'early-block',
    description: 'The block was made a second before the range of the report ended.',
    expected: 'sample-block-early',
    change: (sample) => (sample.block.blockTime = Date.parse(sample.package.range.to) / 1000 - 1),
  },
  {
    name: 'other-block',
    description: 'Another block is named than the one it was drawn with.',
    expected: 'sample-seed-differs',
    change: (sample) => (sample.block.blockhash = BLOCKHASH.replace('7', '8')),
  },
  {
    name: 'smaller-population',
    description: 'Of checks, and said to be of all events.',
    expected: 'sample-population-differs',
    change: (sample) => (sample.request.population = 'checks'),
  },
  {
    name: 'event-exchanged',
    description: 'An event that was drawn gave way to one that was not.',
    expected: 'sample-selection-differs',
    change: (sample) => (sample.selected[1].eventId = sample.selected[0].eventId.replace(/.$/, '0')),
  },
  {
    name: 'event-left-out',
    description: 'The last event that was drawn is not there.',
    expected: 'sample-selection-differs',
    change: (sample) => sample.selected.pop(),
  },
  {
    name: 'order-changed',
    description: 'The drawn events in another order.',
    expected: 'sample-selection-differs',
    change: (sample) => sample.selected.reverse(),
  },
];

/** Names and contents of the vector files of samples; the same bytes on every run. */
export function sampleVectorFiles(read: (name: string) => Loose, sha256: Sha256): [name: string, text: string][] {
  const airline = open(read, 'valid-airline.json', sha256);
  const sound = (request: SampleRequest): Sample =>
    drawSample(
      airline,
      request,
      { ...airline.anchor!, slot: ANCHOR_SLOT },
      {
        slot: ANCHOR_SLOT + SAMPLE_DELAY_SLOTS,
        blockhash: BLOCKHASH,
        blockTime: Date.parse(airline.facts.range.to) / 1000,
      },
      sha256,
    );
  const five: SampleRequest = { size: 5, population: 'events', notBefore: null };
  const unasked = sound(five);
  const pending = open(read, 'valid-pending.json', sha256);
  const files: [string, SampleVector][] = [
    ['valid-events', vector('Five of all events.', sound(five))],
    ['valid-larger', vector('Nine: the same five, and four more.', sound({ ...five, size: 9 }))],
    ['valid-checks', vector('Of the checks alone.', sound({ ...five, population: 'checks' }))],
    ['valid-all', vector('More than there are: all, in the order of their draws.', sound({ ...five, size: 1000 }))],
    [
      'valid-not-asked',
      vector('Drawn by slot and hash alone, without a node to ask.', {
        ...unasked,
        anchor: { ...unasked.anchor, slot: null },
        block: { ...unasked.block, blockTime: null },
      }),
    ],
    [
      'valid-pending',
      {
        ...vector(
          "A report that was issued before its transaction was final, which the sample's own names.",
          drawSample(pending, five, unasked.anchor, unasked.block, sha256),
        ),
        packageOf: 'valid-pending.json',
      },
    ],
    ...CHANGES.map(({ name, description, expected, change }): [string, SampleVector] => {
      const sample = JSON.parse(JSON.stringify(sound(five)));
      change(sample);
      return [`wrong-${name}`, { ...vector(description, sample), expected: { ok: false, firstProblem: expected } }];
    }),
  ];
  return files.map(([name, content]) => [`${name}.json`, `${JSON.stringify(content, null, 1)}\n`]);
}

function vector(description: string, sample: Sample): SampleVector {
  return { description, packageOf: 'valid-airline.json', sample, expected: { ok: true, firstProblem: null } };
}

function open(read: (name: string) => Loose, name: string, sha256: Sha256): SampledPackage {
  const reading = readSampledPackage(read(name).package, sha256);
  if (!reading.ok) throw new Error(`${name}: ${reading.problem}`);
  return reading.value;
}

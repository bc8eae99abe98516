import type { Sha256 } from '../crypto.js';
import { drawSample } from './draw-sample.js';
import type { SampledPackage } from './population.js';
import { blockBound, type Sample, type SampledEvent } from './rule.js';

/** All problems that a sample can have against its package. Stable: programs and test vectors name them. */
export const SAMPLE_PROBLEM_CODES = [
  'sample-package-differs',
  'sample-anchor-differs',
  'sample-block-early',
  'sample-seed-differs',
  'sample-population-differs',
  'sample-selection-differs',
] as const;
export type SampleProblemCode = (typeof SAMPLE_PROBLEM_CODES)[number];

export interface SampleProblem {
  readonly code: SampleProblemCode;
  readonly message: string;
}

/**
 * Draws the sample again from the package and the block that it names, and compares. Makes no look-up: whether the
 * block is on the chain and the first that the rule allows has to be checked against a node.
 * @returns the problems, the first one first
 */
export function checkSample(sample: Sample, pkg: SampledPackage, sha256: Sha256): readonly SampleProblem[] {
  const { facts } = pkg;
  const problems: SampleProblem[] = [];
  const add = (code: SampleProblemCode, message: string): void => void problems.push({ code, message });
  if (!sameFacts(sample.package, facts)) {
    add('sample-package-differs', `it was drawn from the report ${sample.package.reportId} with another content`);
    return problems;
  }
  const { anchor, block, request } = sample;
  if (pkg.anchor !== null && (pkg.anchor.txSignature !== anchor.txSignature || pkg.anchor.network !== anchor.network))
    add('sample-anchor-differs', "its transaction is not the one that the package names as the report's");
  const bound = blockBound(facts.range, request, anchor.slot ?? 0);
  if (anchor.slot !== null && block.slot < bound.fromSlot)
    add(
      'sample-block-early',
      `block ${block.slot} lies before slot ${bound.fromSlot}, the first that may be drawn with`,
    );
  else if (block.blockTime !== null && block.blockTime * 1000 < bound.notBeforeMs)
    add('sample-block-early', `block ${block.slot} is older than ${new Date(bound.notBeforeMs).toISOString()}`);
  const drawn = drawSample(pkg, request, anchor, block, sha256);
  if (drawn.seed !== sample.seed) add('sample-seed-differs', 'its seed is not that of the block and the package');
  if (drawn.populationSize !== sample.populationSize)
    add(
      'sample-population-differs',
      `the package has ${drawn.populationSize} to draw from, not ${sample.populationSize}`,
    );
  const at = differenceOf(drawn.selected, sample.selected);
  if (at !== null)
    add(
      'sample-selection-differs',
      at < drawn.selected.length
        ? `rank ${at + 1} is ${drawn.selected[at]!.eventId}, not ${sample.selected[at]?.eventId ?? 'left out'}`
        : `it has ${sample.selected.length} events, and ${drawn.selected.length} are drawn`,
    );
  return problems;
}

function sameFacts(a: Sample['package'], b: Sample['package']): boolean {
  return (
    a.reportId === b.reportId &&
    a.sha256 === b.sha256 &&
    a.contentHash === b.contentHash &&
    a.range.from === b.range.from &&
    a.range.to === b.range.to
  );
}

const MEMBERS = ['rank', 'index', 'eventId', 'agentId', 'sequence', 'type', 'outcome', 'occurredAt', 'draw'] as const;

/** The first index at which the two differ, `null` for none. */
function differenceOf(drawn: readonly SampledEvent[], given: readonly SampledEvent[]): number | null {
  const length = Math.max(drawn.length, given.length);
  for (let n = 0; n < length; n += 1) {
    const [one, other] = [drawn[n], given[n]];
    if (one === undefined || other === undefined || MEMBERS.some((name) => one[name] !== other[name])) return n;
  }
  return null;
}

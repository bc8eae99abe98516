import type { Sha256 } from '../crypto.js';
import { toHex } from '../encoding/hex.js';
import { utf8 } from '../encoding/text.js';
import { type Member, populationOf, type SampledPackage } from './population.js';
import {
  type Sample,
  type SampleAnchor,
  type SampleBlock,
  type SampledEvent,
  type SampleRequest,
  SAMPLE_RULE,
} from './rule.js';

/** `SHA-256("countersign/sample/1 block=<blockhash> package=<content hash>")` */
export function sampleSeed(blockhash: string, contentHash: string, sha256: Sha256): Uint8Array {
  return sha256(utf8(`${SAMPLE_RULE} block=${blockhash} package=${contentHash}`));
}

/**
 * Draws without replacement: each event's draw is `SHA-256(seed || event id)`, and the events with the smallest draws
 * are taken. Every set of the size is equally likely, there is no modulo bias, and a larger sample of the same seed
 * begins with the smaller one.
 */
export function drawSample(
  pkg: SampledPackage,
  request: SampleRequest,
  anchor: SampleAnchor,
  block: SampleBlock,
  sha256: Sha256,
): Sample {
  const seed = sampleSeed(block.blockhash, pkg.facts.contentHash, sha256);
  const population = populationOf(pkg.members, request.population);
  return {
    rule: SAMPLE_RULE,
    package: pkg.facts,
    request,
    anchor,
    block,
    seed: toHex(seed),
    populationSize: population.length,
    selected: selectBySeed(population, request.size, seed, sha256),
  };
}

function selectBySeed(
  population: readonly Member[],
  size: number,
  seed: Uint8Array,
  sha256: Sha256,
): readonly SampledEvent[] {
  const drawn = population.map((member) => ({ member, draw: toHex(sha256(joined(seed, utf8(member.eventId)))) }));
  drawn.sort((a, b) => (a.draw < b.draw ? -1 : a.draw > b.draw ? 1 : 0));
  return drawn.slice(0, size).map(({ member, draw }, n) => ({ rank: n + 1, ...member, draw }));
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

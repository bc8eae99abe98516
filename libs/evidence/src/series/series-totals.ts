import { SERIES_CHANGES } from '@countersign/contracts';
import type {
  SeriesAgent,
  SeriesChange,
  SeriesContent,
  SeriesCounts,
  SeriesEntry,
  SeriesEntryAgent,
} from '@countersign/contracts';
import { canonicalize } from '../json/canonicalize.js';

/** A series without the members that follow from its packages. */
export type SeriesParts = Omit<
  SeriesContent,
  'kind' | 'schemaVersion' | 'canonicalization' | 'agents' | 'totals' | 'changes'
>;

/** The content of a series, with agents, totals and changes as its packages state them. */
export function assembleSeries(parts: SeriesParts): SeriesContent {
  return {
    kind: 'series',
    schemaVersion: 'series-1.0.0',
    canonicalization: 'rfc8785-jcs',
    ...parts,
    agents: seriesAgents(parts.packages),
    totals: seriesTotals(parts.packages),
    changes: seriesChanges(parts.packages),
  };
}

const SUMMED = [
  'events',
  'outside',
  'allowed',
  'denied',
  'frozen',
  'capped',
  'satisfied',
  'prevented',
  'gap',
  'anchored',
  'unanchored',
] as const satisfies readonly (keyof SeriesCounts)[];

/** Sums of the counts of all packages. */
export function seriesTotals(packages: readonly Pick<SeriesEntry, 'counts'>[]): SeriesContent['totals'] {
  const sums = Object.fromEntries(SUMMED.map((name) => [name, 0])) as Record<(typeof SUMMED)[number], number>;
  const byViolation = new Map<string, number>();
  for (const { counts } of packages) {
    for (const name of SUMMED) sums[name] += counts[name];
    for (const [type, count] of Object.entries(counts.byViolation))
      byViolation.set(type, (byViolation.get(type) ?? 0) + count);
  }
  return {
    packages: packages.length,
    ...sums,
    byViolation: Object.fromEntries(byViolation),
  };
}

/** Each agent with its numbers over all packages, in the order in which packages first list them; its newest name. */
export function seriesAgents(packages: readonly Pick<SeriesEntry, 'agents'>[]): SeriesAgent[] {
  const found = new Map<string, SeriesAgent>();
  for (const { id, name, firstSequence, lastSequence } of packages.flatMap(({ agents }) => agents)) {
    const known = found.get(id);
    const first = least(known?.firstSequence ?? null, firstSequence);
    const last = known?.lastSequence ?? null;
    const end = last === null || (lastSequence !== null && lastSequence > last) ? lastSequence : last;
    const count = first === null || end === null ? 0 : end - first + 1;
    found.set(id, { id, name, firstSequence: first, lastSequence: end, count });
  }
  return [...found.values()];
}

function least(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.min(a, b);
}

/** Each member in which a package differs from the one before it. */
export function seriesChanges(packages: readonly SeriesEntry[]): SeriesChange[] {
  const changes: SeriesChange[] = [];
  packages.forEach((entry, i) => {
    const before = packages[i - 1];
    if (before === undefined) return;
    for (const member of SERIES_CHANGES) {
      if (aspect(entry, member) !== aspect(before, member)) changes.push({ reportId: entry.reportId, member });
    }
  });
  return changes;
}

function aspect(entry: SeriesEntry, member: SeriesChange['member']): string {
  if (member === 'scope') return entry.scopeSha256;
  if (member === 'mapping') return canonicalize(entry.mapping);
  if (member === 'frameworks') return canonicalize([...entry.frameworks].sort());
  return entry.agents
    .map(({ id }) => id)
    .sort()
    .join();
}

/** Numbers of an agent that no package holds, between its first and its last. */
export interface SeriesGap {
  readonly agentId: string;
  readonly first: number;
  readonly last: number;
}

/** The numbers of each agent that lie between packages. */
export function seriesGaps(packages: readonly Pick<SeriesEntry, 'agents'>[]): SeriesGap[] {
  const runs = new Map<string, (SeriesEntryAgent & { firstSequence: number; lastSequence: number })[]>();
  for (const agent of packages.flatMap(({ agents }) => agents)) {
    const { firstSequence, lastSequence } = agent;
    if (firstSequence === null || lastSequence === null) continue;
    const run = { ...agent, firstSequence, lastSequence };
    runs.set(agent.id, [...(runs.get(agent.id) ?? []), run]);
  }
  const gaps: SeriesGap[] = [];
  for (const [agentId, all] of runs) {
    let end: number | null = null;
    for (const { firstSequence, lastSequence } of all.sort((a, b) => a.firstSequence - b.firstSequence)) {
      if (end !== null && firstSequence > end + 1) gaps.push({ agentId, first: end + 1, last: firstSequence - 1 });
      end = Math.max(end ?? 0, lastSequence);
    }
  }
  return gaps;
}

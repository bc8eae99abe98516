import type {
  PackageContent,
  PackageEvent,
  SeriesCounts,
  SeriesDenials,
  SeriesEntry,
  SeriesEntryAgent,
  SignedPackage,
} from '@countersign/contracts';
import type { Sha256 } from '../crypto.js';
import { toHex } from '../encoding/hex.js';
import { canonicalBytes } from '../json/canonicalize.js';
import { summarize } from '../package/summary.js';

/** The entry of a package in a series, before the package is signed. */
export type SeriesFacts = Omit<SeriesEntry, 'sha256' | 'issuedAt'>;

/** The entry of a signed package in a series (`FORMAT.md`, "Series"). */
export function seriesEntry(pkg: SignedPackage, sha256: Sha256): SeriesEntry {
  return {
    ...seriesFacts(pkg, sha256),
    sha256: pkg.sha256,
    issuedAt: pkg.timestamp.issued_at,
  };
}

/** {@link seriesEntry} without the members that signing adds. */
export function seriesFacts(pkg: PackageContent, sha256: Sha256): SeriesFacts {
  const { reportId, range, frameworks, mapping, scope } = pkg;
  return {
    reportId,
    range: { from: range.from, to: range.to },
    frameworks: [...frameworks],
    mapping: { version: mapping.version, sha256: mapping.sha256 },
    scopeSha256: toHex(sha256(canonicalBytes(scope))),
    counts: countsOf(pkg),
    agents: agentsOf(pkg),
    denials: denialsOf(pkg.events),
  };
}

function countsOf({ events, inclusionProofs }: PackageContent): SeriesCounts {
  const isInside = ({ outsideRange }: PackageEvent): boolean => outsideRange !== true;
  const proofs = inclusionProofs.filter((_, i) => isInside(events[i]!));
  const inside = events.filter(isInside);
  const { outcomes: _, ...counts } = summarize(inside, proofs);
  return { ...counts, outside: events.length - inside.length };
}

function agentsOf({ agents, windows }: PackageContent): SeriesEntryAgent[] {
  const bounds = new Map<string, { count: number; from: string; to: string }>();
  for (const { agentId, windowStart, windowEnd } of windows) {
    const known = bounds.get(agentId);
    if (known === undefined) bounds.set(agentId, { count: 1, from: windowStart, to: windowEnd });
    else
      bounds.set(agentId, {
        count: known.count + 1,
        from: known.from,
        to: windowEnd,
      });
  }
  return agents.map(({ id, name, firstSequence, lastSequence }) => {
    const { count = 0, from = null, to = null } = bounds.get(id) ?? {};
    return {
      id,
      name,
      firstSequence,
      lastSequence,
      windows: count,
      windowsFrom: from,
      windowsTo: to,
    };
  });
}

function denialsOf(events: readonly PackageEvent[]): SeriesDenials[] {
  const groups = new Map<string, SeriesDenials>();
  for (const { event, sequence, outsideRange } of events) {
    const { type, outcome, agentId, violation_type: violationType, rule, occurredAt } = event;
    if (type !== 'action.checked' || outcome !== 'denied' || violationType === null || outsideRange === true) continue;
    const day = occurredAt.slice(0, 10);
    const key = JSON.stringify([agentId, violationType, rule, day]);
    const moment = { sequence, occurredAt };
    const { count, first } = groups.get(key) ?? { count: 0, first: moment };
    groups.set(key, {
      agentId,
      violationType,
      rule,
      day,
      count: count + 1,
      first,
      last: moment,
    });
  }
  return [...groups.values()].sort(byPlace);
}

/** By agent, violation, rule – `null` first – and day, each by UTF-16 code units. */
export function byPlace(a: SeriesDenials, b: SeriesDenials): number {
  const order = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);
  return (
    order(a.agentId, b.agentId) ||
    order(a.violationType, b.violationType) ||
    Number(a.rule !== null) - Number(b.rule !== null) ||
    order(a.rule ?? '', b.rule ?? '') ||
    order(a.day, b.day)
  );
}

import type { JsonValue, PackageEvent, PackageRedecision } from '@countersign/contracts';
import type { EvidenceCrypto } from '@countersign/evidence';
import { ENGINE_VERSION } from '@countersign/policy-engine';
import { countedCheck } from './balances/counted-check.js';
import type { CountedCheck } from './balances/counted-check.js';
import { followBalances } from './balances/follow-balances.js';
import { judgeAgain, saysNoRoom } from './judge-again.js';
import type { Judged, Recomputed } from './judge-again.js';
import { AgentProfiles } from './profiles.js';
import { shownCheck } from './read-events.js';
import type { ShownCheck, ShownContext } from './read-events.js';
import { REDECISION_RULE } from './result.js';
import type { Difference, Reason, Redecision, RedecidedAgent, RedecidedEvent, Verdict } from './result.js';
import { statedDifferences } from './statement.js';
import { totalsOf } from './totals.js';

export interface RedecideOptions {
  readonly sha256: EvidenceCrypto['sha256'];
  /** Functions of rules that cannot be evaluated here: checks under a profile that uses one are not checked. */
  readonly without?: readonly string[];
}

/**
 * Computes every verdict of a package again and follows the balances of its agents: FORMAT.md, "Re-decision". Pure.
 * @param pkg one whose events, leaves and openings have their forms and open their commitments, as `verifyPackage` finds
 */
export function redecide(
  pkg: { readonly events: readonly PackageEvent[]; readonly redecision?: PackageRedecision },
  options: RedecideOptions,
): Redecision {
  const byAgent = new Map<string, PackageEvent[]>();
  for (const entry of pkg.events) {
    const { agentId } = entry.event;
    const entries = byAgent.get(agentId);
    if (entries === undefined) byAgent.set(agentId, [entry]);
    else entries.push(entry);
  }
  const agents: RedecidedAgent[] = [];
  const results = new Map<string, RedecidedEvent>();
  for (const [agentId, entries] of byAgent) {
    const agent = redecideAgent(agentId, entries, options);
    if (agent.events.length > 0) agents.push(agent.result);
    for (const event of agent.events) results.set(event.eventId, event);
  }
  const events = pkg.events.flatMap(({ event }) => results.get(event.eventId) ?? []);
  const result = {
    rule: REDECISION_RULE,
    engine: ENGINE_VERSION,
    totals: totalsOf(events, agents),
    agents,
    events,
  } as const;
  return { ...result, stated: statedDifferences(pkg.redecision, result) };
}

function redecideAgent(
  agentId: string,
  entries: readonly PackageEvent[],
  options: RedecideOptions,
): { readonly result: RedecidedAgent; readonly events: readonly RedecidedEvent[] } {
  const ascending = [...entries].sort((a, b) => a.sequence - b.sequence);
  const profiles = new AgentProfiles(agentId, options.sha256, options.without ?? []);
  for (const entry of ascending) if (entry.event.type === 'profile.changed') profiles.add(entry);
  const doubts = doubtsOf(ascending);
  const events: RedecidedEvent[] = [];
  const counted: CountedCheck[] = [];
  const hidden: number[] = [];
  let hiddenWithOrder = 0;
  const unknownCosts = new Set<string>();
  for (const entry of ascending) {
    if (entry.event.type !== 'action.checked') continue;
    const check = shownCheck(entry);
    const { eventId } = check.leaf;
    const { verdict, judged, rateWindowMs } = redecideCheck(check, profiles);
    events.push({ ...verdict, eventId, agentId, sequence: check.sequence });
    if (check.action === null) unknownCosts.add(eventId);
    if (check.context === null) {
      hidden.push(check.sequence);
      if (check.leaf.v === 2) hiddenWithOrder += 1;
      continue;
    }
    const trip = judged === null ? undefined : judged.trip;
    counted.push(
      countedCheck(check, check.context, trip, rateWindowMs, {
        unanswered: doubts.unanswered.has(eventId),
        skippedAt: doubts.skipped.get(eventId) ?? null,
      }),
    );
  }
  const known = new Set(ascending.map(({ event }) => event.eventId));
  const unknownReturns = [...doubts.skipped].flatMap(([id, place]) =>
    known.has(id) && !unknownCosts.has(id) ? [] : [place],
  );
  const { breaks, missing } = followBalances(counted, { hidden, unknownReturns, profiles });
  const unlogged = [...doubts.unanswered].filter((id) => !known.has(id)).length;
  return {
    result: {
      agentId,
      checks: events.length,
      balances: breaks.length > 0 ? 'broken' : counted.length > 0 ? 'continuous' : 'not_checked',
      missing: Math.max(0, missing - hiddenWithOrder - unlogged),
      breaks,
    },
    events,
  };
}

/** Events that other events say something about. */
function doubtsOf(entries: readonly PackageEvent[]): {
  readonly unanswered: ReadonlySet<string>;
  readonly skipped: ReadonlyMap<string, number>;
} {
  const unanswered = new Set<string>();
  const skipped = new Map<string, number>();
  for (const { event, sequence } of entries) {
    const { type, refersTo, outcome } = event;
    if (refersTo === null) continue;
    if (type === 'action.unanswered') unanswered.add(refersTo);
    if (type === 'action.outcome' && outcome === 'skipped' && !skipped.has(refersTo)) skipped.set(refersTo, sequence);
  }
  return { unanswered, skipped };
}

interface RedecidedCheck {
  readonly verdict: Omit<RedecidedEvent, 'eventId' | 'agentId' | 'sequence'>;
  /** `null`: it was not judged again. */
  readonly judged: Judged | null;
  readonly rateWindowMs: number | null;
}

function redecideCheck(check: ShownCheck, profiles: AgentProfiles): RedecidedCheck {
  const { leaf, sequence, atMs, context, action } = check;
  const otherEngine =
    context !== null &&
    (context.engine.engine !== ENGINE_VERSION.engine || context.engine.detectors !== ENGINE_VERSION.detectors);
  let rateWindowMs: number | null = null;
  const end = (
    verdict: Verdict,
    reason: Reason | null,
    differences: readonly Difference[] = [],
    judged: Judged | null = null,
  ): RedecidedCheck => ({ verdict: { verdict, reason, otherEngine, differences }, judged, rateWindowMs });

  if (check.erased) return end('erased', null);
  if (leaf.v !== 2) return end('not_checked', 'version');
  if (context === null) return end('withheld', 'context');
  const profile = profiles.of(leaf);
  const rate = profile?.compiled?.rate ?? null;
  if (rate !== null) rateWindowMs = rate.per_seconds * 1000;
  if (action === null) return end('withheld', 'action');
  const contradiction = profiles.contradiction(leaf, sequence, atMs);
  if (contradiction !== null) return end('different', 'profile', [contradiction]);
  if (profile === null) return end('withheld', 'profile');
  if (check.payloadHidden && profile.readsPayload) return end('withheld', 'payload');
  if (profile.lacksFunction) return end('not_checked', 'rule');
  if (profile.compiled === null) return end('not_checked', 'profile');
  const judged = judgeAgain({ ...check, context, action }, profile.compiled);
  if (saysNoRoom(leaf) && judged.freeBeforeLimits) return end('not_checked', 'no_room', [], judged);
  const differences = differencesOf(check, context, judged);
  if (differences.length === 0) return end('same', null, [], judged);
  // Another version may judge otherwise, and count otherwise.
  return otherEngine ? end('not_checked', 'engine') : end('different', 'verdict', differences, judged);
}

function differencesOf(
  { leaf }: ShownCheck,
  context: ShownContext,
  { recomputed, trip }: Judged,
): readonly Difference[] {
  const recorded: Readonly<Record<keyof Recomputed, unknown>> = { ...leaf, effect: context.effect } as never;
  const members = Object.keys(recomputed) as (keyof Recomputed)[];
  const differences = members.flatMap((member) => differenceOf(member, recorded[member], recomputed[member]));
  const charged = (trip?.limits ?? []).map(({ id }) => id).sort();
  return [...differences, ...differenceOf('seen.limits', Object.keys(context.seen.limits).sort(), charged)];
}

function differenceOf(member: string, recorded: unknown, recomputed: unknown): readonly Difference[] {
  const same = JSON.stringify(recorded) === JSON.stringify(recomputed);
  return same ? [] : [{ member, recorded: recorded as JsonValue, recomputed: recomputed as JsonValue }];
}

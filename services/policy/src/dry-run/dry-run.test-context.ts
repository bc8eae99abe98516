import type { ArchivedEvent, BehaviorProfile, EventArchive, JsonValue } from '@countersign/contracts';
import { SimulatedAgent } from '../simulate/simulated-agent.js';
import type { Verdict } from '../simulate/simulated-agent.js';
import { AGENT, check } from '../policy.test-context.js';

export const START = Date.UTC(2026, 2, 10, 12);

/** A check of a test: its action, and its time in ms after {@link START}. */
export interface GivenCheck {
  readonly action: { readonly [member: string]: JsonValue };
  readonly after?: number;
}

/** Records of these checks under a profile, as gateways write them. */
export function record(profile: BehaviorProfile, checks: readonly GivenCheck[]): ArchivedEvent[] {
  const agent = new SimulatedAgent(profile);
  return checks.map(({ action, after = 0 }, index) => {
    const verdict = agent.check(action, START + after);
    return recorded(profile, agent, action, verdict, START + after, index + 1);
  });
}

function recorded(
  profile: BehaviorProfile,
  agent: SimulatedAgent,
  given: GivenCheck['action'],
  { allowed, violation, freezes, ruleCounts, order }: Verdict,
  occurredAtMs: number,
  sequence: number,
): ArchivedEvent {
  const { payload, ...action } = given;
  const cost = given['estimatedCost'];
  const envelope = check({
    eventId: `0198a1b2-0000-7000-8000-${String(sequence).padStart(12, '0')}`,
    occurredAtMs,
    denied: !allowed,
    countsRate: allowed && agent.profile.rate !== null,
    freezesAgent: freezes,
    costMicros: allowed && typeof cost === 'number' ? Math.ceil(cost * 1_000_000) : 0,
  });
  return {
    sequence,
    erased: false,
    envelope: {
      ...envelope,
      ...(ruleCounts === undefined || order === undefined ? {} : { ruleCounts, order }),
      leaf: {
        ...envelope.leaf,
        reason: violation?.reason ?? null,
        severity: violation?.severity ?? null,
        violation_type: violation?.violation_type ?? null,
        rule: violation?.rule ?? null,
        detail: violation?.detail ?? null,
        profileVersion: profile.version,
        payload: payload === undefined ? null : 'b'.repeat(64),
      },
      openings: {
        action: { salt: 'AAAAAAAAAAAAAAAAAAAAAA', value: action },
        ...(payload === undefined
          ? {}
          : { payload: { salt: 'AAAAAAAAAAAAAAAAAAAAAA', ...(profile.store_payload ? { value: payload } : {}) } }),
      },
    },
  };
}

/** An archive that holds these events of {@link AGENT}, at most `page` at a time. */
export function archiveOf(events: readonly ArchivedEvent[], page = 7): Pick<EventArchive, 'span' | 'range'> {
  return {
    async span(agentId, from, to) {
      const inside = events.filter(
        ({ envelope: { leaf } }) => agentId === AGENT && leaf.occurredAt >= from && leaf.occurredAt < to,
      );
      return inside.length === 0 ? null : { first: inside[0]!.sequence, last: inside.at(-1)!.sequence };
    },
    range: async (_agentId, first, last, limit) =>
      events.slice(first - 1, Math.min(last, first - 1 + limit, first - 1 + page)),
  };
}

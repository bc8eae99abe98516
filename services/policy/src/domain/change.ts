import type { JsonValue, LeafType } from '@countersign/contracts';
import type { Agent } from './agent.js';

/** The author of a change: committed with it, never in the leaf itself. */
export interface Actor {
  readonly kind: 'user' | 'api_key' | 'system';
  readonly id: string;
}

/** The event of a change, without time, salt and id. */
export interface EventDraft {
  readonly type: Extract<LeafType, `agent.${string}` | 'profile.changed'>;
  /** Committed as `action`. */
  readonly committed: { readonly [key: string]: JsonValue };
  readonly profileVersion: number | null;
  readonly profileSha256: string | null;
}

/** Result of a rule for a requested change. */
export type Change =
  | { readonly kind: 'changed'; readonly agent: Agent; readonly event: EventDraft }
  /** The agent has these values already: no new version, no event. */
  | { readonly kind: 'unchanged'; readonly agent: Agent }
  | { readonly kind: 'refused'; readonly status: 400 | 404 | 409 | 413; readonly words: string };

export function refused(status: 400 | 404 | 409 | 413, words: string): Extract<Change, { readonly kind: 'refused' }> {
  return { kind: 'refused', status, words };
}

export const INACTIVE = 'the agent is inactive, which is final: create a new one';

export function byOf(actor: Actor): { readonly [key: string]: JsonValue } {
  return { kind: actor.kind, id: actor.id };
}

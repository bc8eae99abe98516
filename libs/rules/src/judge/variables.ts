import type { Variables } from '../cel/check.js';
import { Timestamp } from '../cel/values.js';
import type { CelInput } from '../cel/program.js';

/** The action and its surroundings, as rules read them. */
export interface JudgedAction {
  /** As received. `args` is its `payload`, where that is an object. */
  readonly action: Readonly<Record<string, unknown>>;
  readonly agent: { readonly id: string; readonly labels?: Readonly<Record<string, unknown>> };
  /** Empty: none is given. */
  readonly principal?: string;
  /** Empty: none is given. */
  readonly session?: string;
  /** Issuer of the token that names the principal; absent: no token does. */
  readonly issuer?: string;
  /** Ids of the actors by that token, outermost first; absent: none. */
  readonly actors?: readonly string[];
  /** Time of the request: whole seconds since 1970. */
  readonly time: number;
  /** Offsets from UTC, in minutes, of the zones of {@link CompiledRules.zones} at that time. */
  readonly offsets?: Readonly<Record<string, number>>;
}

/** Variables of expressions. `args`, `action` and `agent.labels` have members that may be absent. */
export function variablesOf(facts: readonly string[]): Variables {
  return {
    action: { kind: 'json', sure: ['type'] },
    args: { kind: 'json' },
    agent: { kind: 'record', members: { id: { kind: 'string' }, labels: { kind: 'json' } } },
    principal: { kind: 'string' },
    session: { kind: 'string' },
    issuer: { kind: 'string' },
    actors: { kind: 'json' },
    facts: { kind: 'record', members: Object.fromEntries(facts.map((id) => [id, { kind: 'bool' } as const])) },
    request: { kind: 'record', members: { time: { kind: 'timestamp' } } },
  };
}

const NOTHING: Readonly<Record<string, never>> = {};
const NO_ACTORS: readonly string[] = [];

/** @param facts values of the facts, by id */
export function inputOf(judged: JudgedAction, facts: Readonly<Record<string, boolean>> = NOTHING): CelInput {
  const {
    action,
    agent,
    principal = '',
    session = '',
    issuer = '',
    actors = NO_ACTORS,
    time,
    offsets = NOTHING,
  } = judged;
  return {
    values: {
      action,
      args: argumentsOf(action),
      agent: { id: agent.id, labels: agent.labels ?? NOTHING },
      principal,
      session,
      issuer,
      actors,
      facts,
      request: { time: new Timestamp(BigInt(time) * 1_000_000_000n) },
    },
    offsets,
  };
}

/** The payload of an action, where it is an object; an empty one otherwise. */
function argumentsOf(action: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const payload = Object.hasOwn(action, 'payload') ? action['payload'] : undefined;
  const isObject = typeof payload === 'object' && payload !== null && !Array.isArray(payload);
  return isObject ? (payload as Readonly<Record<string, unknown>>) : NOTHING;
}

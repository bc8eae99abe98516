import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { amountOfNanos } from '@countersign/contracts';
import type { Amount, ConditionalRule, RuleTrip, StaticViolation, TripFact, TripLimit } from '@countersign/contracts';
import type { CompiledRules, LimitCharge, RuleFinding } from '@countersign/rules';
import type { ConditionalJudgement } from './judge/conditional.js';

/*
 * Where facts are held. A fact of a session is set under its session, or, by a check that names no session, for every
 * session of the agent; and in both cases for checks that name none. So leaving the session out is no way around a rule.
 */
const OF_AGENT = 'agent';
const NO_SESSION = 'none';
const EVERY_SESSION = '@every';
const ANY_SESSION = '@any';
/** Hex digits of the hash of a session that its facts are held under. */
const SESSION_DIGITS = 32;
/** Time for which a fact holds whose `ttl_seconds` the profile does not say: a day. */
const DEFAULT_TTL_SECONDS = 86_400;

/** A fact that cannot be kept must not be forgotten. */
export const NO_ROOM: StaticViolation = {
  violation_type: 'rule_error',
  severity: 'P1',
  reason:
    'The facts that this action sets cannot be kept: the agent has too many. Wait until older ones have expired, or have the profile changed.',
  rule: 'facts:no room',
  detail: 'no_room',
  extras: null,
};

/** Longest time for which a fact or an amount of a limit of these rules counts, s; 0: there are none. */
export function longestCounted({ facts, limits }: CompiledRules): number {
  const times = [
    ...facts.map(({ member: { ttl_seconds: ttlSeconds = DEFAULT_TTL_SECONDS } }) => ttlSeconds),
    ...limits.map(({ member }) => member.window_seconds),
  ];
  return Math.max(0, ...times);
}

/** Reports whether the name of a fact in a trip is that of the profile. */
export function isOwnFact(id: string): boolean {
  return !id.includes('@');
}

/** Findings, settings and charges by the rules of a profile, as the counters take them; `undefined` where there are none. */
export function countedRules(
  compiled: CompiledRules,
  { findings, conditional, limits, facts }: ConditionalJudgement,
  session: string | null,
): RuleTrip | undefined {
  if (findings.length === 0 && conditional.length === 0 && limits.length === 0 && facts.length === 0) return undefined;
  const places = new FactPlaces(compiled, session);
  const rules = findings.map((finding): ConditionalRule => ({ facts: [], truth: 1, ...ruleOf(finding) }));
  for (const finding of conditional) {
    rules.push({
      facts: finding.facts.map((fact) => places.read(fact)),
      truth: finding.truth,
      ...ruleOf(finding),
    });
  }
  const sets = facts.flatMap(({ fact, on }) => {
    const { ttl_seconds: ttlSeconds = DEFAULT_TTL_SECONDS } = compiled.facts[fact]!.member;
    return places.set(fact).map((place) => ({ fact: place, ttlSeconds, on }));
  });
  return {
    facts: places.all,
    ...(places.also.length === 0 ? {} : { also: places.also }),
    conditional: rules,
    sets,
    limits: limits.map((charge) => limitOf(compiled, charge)),
    noRoom: NO_ROOM,
  };
}

/** Where facts are held, for a question to the counters. */
export interface FactsHeld {
  readonly facts: readonly TripFact[];
  /** Pairs of facts of which the first counts as set also where the second is. */
  readonly also: readonly { readonly fact: number; readonly where: number }[];
  /** Index in `facts` of each fact of the profile. */
  readonly indexes: readonly number[];
}

/** Where a check of this session reads each fact of a profile. @param session `null`: it names none */
export function factsHeld(compiled: CompiledRules, session: string | null): FactsHeld {
  const places = new FactPlaces(compiled, session);
  const indexes = compiled.facts.map((_fact, position) => places.read(position));
  return { facts: places.all, also: places.also, indexes };
}

function ruleOf({ violation, rank, observe }: RuleFinding): Pick<ConditionalRule, 'violation' | 'rank' | 'observe'> {
  return { violation: { ...violation, extras: violation.extras ?? null }, rank, observe };
}

function limitOf(compiled: CompiledRules, charge: LimitCharge): TripLimit {
  const { limit, id, key, windowSeconds, max, amount, reserve, observe, violation } = charge;
  const isCount = compiled.limits[limit]!.maxNanos === null;
  const amountOf = isCount ? countOf : sumOf;
  return {
    id,
    key,
    windowSeconds,
    max: amountOf(max),
    ...(isCount ? {} : { unit: 'sum' }),
    amount: amountOf(amount),
    reserve,
    violation: { ...violation, extras: null },
    observe,
  };
}

function countOf(count: bigint): Amount {
  return { units: Number(count), nanos: 0 };
}

/** Sums that a limit charges are below 10^9. */
function sumOf(nanos: bigint): Amount {
  return amountOfNanos(nanos)!;
}

/** The facts of one trip in their places, each once. */
class FactPlaces {
  readonly all: TripFact[] = [];
  readonly also: { readonly fact: number; readonly where: number }[] = [];
  readonly #indexes = new Map<string, number>();
  readonly #read = new Set<number>();
  readonly #session: string | null;

  constructor(
    private readonly compiled: CompiledRules,
    session: string | null,
  ) {
    this.#session = session === null ? null : `s:${bytesToHex(sha256(utf8ToBytes(session))).slice(0, SESSION_DIGITS)}`;
  }

  /** Index of a fact that a rule reads. @param position in the profile */
  read(position: number): number {
    const { id, scope } = this.#member(position);
    if (scope === 'agent') return this.#indexOf(id, OF_AGENT);
    const fact = this.#indexOf(id, this.#session ?? NO_SESSION);
    if (!this.#read.has(fact)) {
      this.#read.add(fact);
      this.also.push({ fact, where: this.#shared(id, this.#session === null ? ANY_SESSION : EVERY_SESSION) });
    }
    return fact;
  }

  /** Indexes of the places in which a fact is set. @param position in the profile */
  set(position: number): readonly number[] {
    const { id, scope } = this.#member(position);
    if (scope === 'agent') return [this.#indexOf(id, OF_AGENT)];
    const own = this.#session === null ? this.#shared(id, EVERY_SESSION) : this.#indexOf(id, this.#session);
    return [own, this.#shared(id, ANY_SESSION)];
  }

  /** A place of several sessions, under a name of its own: a context contains only what the check itself reads. */
  #shared(id: string, place: string): number {
    return this.#indexOf(`${id}${place}`, place);
  }

  #member(position: number): { readonly id: string; readonly scope: 'session' | 'agent' } {
    const { id, scope = 'session' } = this.compiled.facts[position]!.member;
    return { id, scope };
  }

  #indexOf(id: string, key: string): number {
    const name = `${key} ${id}`;
    let index = this.#indexes.get(name);
    if (index === undefined) this.#indexes.set(name, (index = this.all.push({ id, key }) - 1));
    return index;
  }
}

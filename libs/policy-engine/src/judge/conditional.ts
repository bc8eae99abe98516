import { judgeRules, zoneOffset } from '@countersign/rules';
import type { CompiledRules, JudgedAction, RuleFinding, RuleJudgement } from '@countersign/rules';
import type { Action } from './subject.js';
import type { Who } from './who.js';

/** Input of rules with conditions, in addition to the action. */
export interface Surroundings extends Who {
  /** UUID in lower case. */
  readonly agentId: string;
  /** Time of the request, whole seconds since 1970. */
  readonly time: number;
  /**
   * Minutes east of UTC by time zone, as a recorded check used them; absent: those that the time zone database of this
   * machine has for `time`.
   */
  readonly offsets?: Readonly<Record<string, number>>;
  /** Facts that a recorded check saw set, of those that it read; only for explanations. Absent: no fact is set. */
  readonly facts?: readonly string[];
  /** Values of all facts by id, `null`: not known; only for explanations, instead of `facts`. */
  readonly known?: Readonly<Record<string, boolean | null>>;
  /** Balances before the check, by the id of the limit, as decimals; only for explanations. Absent: none is known. */
  readonly balances?: Readonly<Record<string, string>>;
}

/** The judgement of the rules, and the offsets that they used. */
export interface ConditionalJudgement extends RuleJudgement {
  readonly offsets: Readonly<Record<string, number>>;
}

const NO_OFFSETS: Readonly<Record<string, number>> = {};

/** Judges an action by rules with conditions, by the facts that it sets, and by the limits that it is charged to. */
export function judgeConditional(rules: CompiledRules, action: Action, around: Surroundings): ConditionalJudgement {
  const { offsets = offsetsAt(rules, around.time) } = around;
  const judgement = judgeRules(rules, judgedAction(action, around, offsets));
  return { ...judgement, offsets };
}

/** The action as rules read it. */
export function judgedAction(
  action: Action,
  { agentId, principal, session, issuer, actors, time }: Surroundings,
  offsets: Readonly<Record<string, number>>,
): JudgedAction {
  return {
    action,
    agent: { id: agentId },
    ...(principal === null ? {} : { principal }),
    ...(session === null ? {} : { session }),
    ...(issuer === undefined ? {} : { issuer }),
    ...(actors === undefined ? {} : { actors }),
    time,
    offsets,
  };
}

/**
 * The findings, observed ones included, of rules where the facts have these values; the severest first.
 * @param isSet takes the position of a fact in the profile
 */
export function denialsWhere(
  { findings, conditional }: RuleJudgement,
  isSet: (position: number) => boolean,
): readonly RuleFinding[] {
  const holding = conditional.filter(({ facts, truth }) => {
    const assignment = facts.reduce((bits, position, bit) => bits | (isSet(position) ? 1 << bit : 0), 0);
    return ((truth >> assignment) & 1) === 1;
  });
  return [...findings, ...holding].sort((a, b) => a.rank - b.rank);
}

/** A zone that this machine does not know has no offset, and a rule that asks for it is an error. */
function offsetsAt({ zones }: CompiledRules, time: number): Readonly<Record<string, number>> {
  if (zones.length === 0) return NO_OFFSETS;
  const offsets: Record<string, number> = {};
  for (const zone of zones) {
    const minutes = zoneOffset(zone, time);
    if (minutes !== null) offsets[zone] = minutes;
  }
  return offsets;
}

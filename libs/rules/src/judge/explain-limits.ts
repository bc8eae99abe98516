import type { CompiledLimit, CompiledRules } from './compile-rules.js';
import type { ExplainedRule } from './explain-rules.js';
import { chargeOf } from './judge-rules.js';
import type { LimitCharge } from './judge-rules.js';
import { inputOf } from './variables.js';
import type { JudgedAction } from './variables.js';

const NANOS = 9;

/** Result of one limit by itself; `charge` is `null` where the action is not charged to it. */
export interface ExplainedLimit extends ExplainedRule {
  readonly charge: LimitCharge | null;
}

/**
 * Every limit of a profile by itself. Its one clause compares what it counted before with its maximum: `counted + 1 <= 3`. The clause is
 * `unknown` where the balance is not known, and the limit then counts as passed.
 * @param balances by id, as decimals, of the limits whose balance before the check is known
 */
export function explainLimits(
  compiled: CompiledRules,
  judged: JudgedAction,
  balances: Readonly<Record<string, string>> = {},
): readonly ExplainedLimit[] {
  const applies = new Set(compiled.limitIndex.match(judged.action));
  const input = inputOf(judged);
  return compiled.limits.map((limit, at) => {
    const { member, key, sum } = limit;
    const about = {
      rule: `limits:${member.id}`,
      mode: member.mode ?? 'enforce',
      reads: [...new Set([...(key?.reads ?? []), ...(sum?.reads ?? [])])],
      facts: [],
      would_allow: null,
    } as const;
    if (!applies.has(at)) return { ...about, result: 'not_applicable', code: null, clauses: [], charge: null };
    const charge = chargeOf(limit, at, compiled.rules.length + at, input);
    if (!('key' in charge)) {
      const clauses = [{ text: clauseOf(limit), result: 'error' as const }];
      return { ...about, result: 'error', code: charge.violation.detail, clauses, charge: null };
    }
    const balance = Object.hasOwn(balances, member.id) ? balances[member.id]! : null;
    const fits: boolean | 'unknown' = balance === null ? 'unknown' : hasRoom(limit, charge, balance);
    const clauses = [{ text: clauseOf(limit), result: fits }];
    return { ...about, result: fits === false ? 'matched' : 'passed', code: null, clauses, charge };
  });
}

/** An amount of 0 always has room. */
function hasRoom({ maxNanos }: CompiledLimit, { amount, max }: LimitCharge, balance: string): boolean {
  if (amount === 0n) return true;
  const [units = '0', places = ''] = balance.split('.');
  const counted = BigInt(maxNanos === null ? units : `${units}${places.padEnd(NANOS, '0')}`);
  return counted + amount <= max;
}

function clauseOf({ member }: CompiledLimit): string {
  if (member.sum === undefined) return `counted + 1 <= ${member.max_count}`;
  const sum = /^[\w.]+$/.test(member.sum) ? member.sum : `(${member.sum})`;
  return `counted + ${sum} <= ${member.max_sum}`;
}

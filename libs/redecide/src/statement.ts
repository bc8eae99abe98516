import type { JsonValue, PackageRedecision } from '@countersign/contracts';
import { REDECISION_TOTALS } from '@countersign/contracts';
import type { Difference, Redecision } from './result.js';

type Result = Pick<Redecision, 'rule' | 'engine' | 'totals' | 'agents' | 'events'>;

/** The statement that a package makes of its verdicts. */
export function statementOf({ rule, engine, totals, agents }: Result): PackageRedecision {
  return {
    rule,
    engine,
    totals,
    breaks: agents.flatMap(({ agentId, breaks: [first] }) =>
      first === undefined ? [] : [{ agentId, sequence: first.sequence, balance: first.balance }],
    ),
  };
}

/**
 * Compares the statement of a package with what was computed. Where some checks could not be evaluated here, each count may be
 * higher by as many.
 * @returns members that differ; `null`: there is no statement, or another version of the rule or of the engine made it
 */
export function statedDifferences(stated: PackageRedecision | undefined, result: Result): readonly Difference[] | null {
  if (stated === undefined || !sameJson([stated.rule, stated.engine], [result.rule, result.engine])) return null;
  const computed = statementOf(result);
  const open = result.events.filter(
    ({ verdict, reason }) => verdict === 'not_checked' && (reason === 'profile' || reason === 'rule'),
  ).length;
  if (open === 0) {
    const totals = REDECISION_TOTALS.flatMap((member) =>
      differenceOf(`redecision.totals.${member}`, stated.totals[member], computed.totals[member]),
    );
    return [...totals, ...differenceOf('redecision.breaks', stated.breaks, computed.breaks)];
  }
  const checks = differenceOf('redecision.totals.checks', stated.totals.checks, computed.totals.checks);
  const counts = (['same', 'different', 'withheld', 'erased'] as const).flatMap((member) => {
    const own = computed.totals[member];
    const fits = stated.totals[member] >= own && stated.totals[member] <= own + open;
    return fits ? [] : differenceOf(`redecision.totals.${member}`, stated.totals[member], own);
  });
  return [...checks, ...counts];
}

function differenceOf(member: string, recorded: unknown, recomputed: unknown): readonly Difference[] {
  if (sameJson(recorded, recomputed)) return [];
  return [{ member, recorded: recorded as JsonValue, recomputed: recomputed as JsonValue }];
}

/** Compares values of JSON; the order of members does not count. */
function sameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const names = Object.keys(a);
  if (Array.isArray(a) !== Array.isArray(b) || names.length !== Object.keys(b).length) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return names.every((name) => Object.hasOwn(right, name) && sameJson(left[name], right[name]));
}

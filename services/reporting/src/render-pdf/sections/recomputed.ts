import type { SignedPackage } from '@countersign/contracts';
import type { ReportFacts } from '../report-facts.js';
import type { Span } from '../spans.js';
import { counted } from './wording.js';

type Row = readonly (Span | string)[];
const GAP = 'Gap, review required';
/** Broken balances that are named; the package has them all. */
const NAMED = 5;

/**
 * Rows of the first page on the verdicts that were computed again when the report was made: [count of, count, meaning]. Anything
 * but “the same” is a gap, and so is that they were not computed.
 */
export function recomputedRows(content: SignedPackage, { agents }: ReportFacts): readonly Row[] {
  const { redecision } = content;
  if (redecision === undefined) return notComputed(content);
  if (redecision.totals.checks === 0) return [];
  const { totals, breaks } = redecision;
  const { checks, same, different, withheld, erased, not_checked: notChecked, continuous, broken, missing } = totals;
  const open = withheld + erased + notChecked;
  const label = new Map(agents.map(({ agent, label: short }) => [agent.id, short]));
  const places = breaks
    .slice(0, NAMED)
    .map(({ agentId, sequence, balance }) => `${label.get(agentId) ?? '?'} at event ${sequence} (${balance})`);
  const more = breaks.length > NAMED ? `, and of ${breaks.length - NAMED} more` : '';
  return [
    ['Verdicts that are the same', `${same}`, `of ${counted(checks, 'check')}, computed again by ${redecision.rule}`],
    gapRow('Verdicts that differ', different, 'the profile, the action and the balances lead to another verdict'),
    gapRow(
      'Verdicts not computed',
      open,
      `${withheld} withheld, ${erased} erased, ${notChecked} not checked: their inputs are not in this report`,
    ),
    [
      'Agents with continuous balances',
      `${continuous}`,
      `of ${counted(totals.agents, 'agent')} with checks: each balance follows from the checks before`,
    ],
    gapRow('Agents with broken balances', broken, broken === 0 ? 'none' : `first: ${places.join('; ')}${more}`),
    ...(missing === 0
      ? []
      : [gapRow('Checks between others that are missing', missing, 'they counted an unknown amount')]),
  ];
}

function notComputed({ summary }: SignedPackage): readonly Row[] {
  const checks = summary.allowed + summary.denied + summary.frozen + summary.capped;
  if (checks === 0) return [];
  const meaning = 'not computed when this report was made, since this failed; run countersign verify --redecide';
  return [gapRow('Verdicts not computed', checks, meaning)];
}

function gapRow(what: string, count: number, meaning: string): Row {
  if (count === 0) return [what, '0', meaning];
  return [{ text: what, ink: { colour: 'red' } }, { text: `${count}`, ink: { face: 'bold' } }, `${GAP}: ${meaning}`];
}

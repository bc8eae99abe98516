import type {
  Break,
  Difference,
  EngineVersion,
  Reason,
  RedecidedAgent,
  RedecidedEvent,
  Redecision,
  RedecisionTotals,
} from './result.js';

const SHOWN = 10;

const REASONS: Readonly<Record<Exclude<Reason, 'verdict'>, string>> = {
  version: 'its record is of version 1, which holds no balances',
  context: 'its context is withheld',
  action: 'its action is withheld',
  profile: 'the profile in force is not in the package, or cannot be read here',
  payload: 'its payload was not kept or is withheld, and the profile judges payloads',
  rule: 'a rule of the profile cannot be evaluated here',
  engine: 'another version of the engine judged it, and this version has another verdict',
  no_room: 'it says that the counters had no room, which no package shows',
};

/** Why a check was withheld or not checked, as the rest of a sentence; empty for other verdicts. */
export function reasonText({ verdict, reason }: Pick<RedecidedEvent, 'verdict' | 'reason'>): string {
  if (verdict !== 'withheld' && verdict !== 'not_checked') return '';
  return reason === null || reason === 'verdict' ? '' : REASONS[reason];
}

/** The results of a re-decision for the reader, one line each. */
export function describeRedecision({ totals, engine, events, stated }: Redecision): readonly string[] {
  const lines = describeTotals(totals, engine);
  const same = stated !== null && stated.length === 0 ? ['the package states the same of itself'] : [];
  return [...lines, ...same, ...withheldLines(withheldCounts(events))];
}

/** The totals of one re-decision, or of the sum of several, one line each. */
export function describeTotals(totals: RedecisionTotals, { engine, detectors }: EngineVersion): readonly string[] {
  const { checks, same, different, withheld, erased, not_checked: notChecked, otherEngine, missing } = totals;
  const lines = [
    `${checks} verdicts: ${same} same, ${different} different, ${withheld} withheld, ${erased} erased, ${notChecked} not checked`,
    `balances of ${totals.agents} agents: ${totals.continuous} continuous, ${totals.broken} broken`,
  ];
  if (missing > 0) lines.push(`${missing} checks are missing between others: what they counted is not known`);
  if (otherEngine > 0)
    lines.push(
      `${otherEngine} checks were judged by another version than this one (engine ${engine}, detectors ${detectors})`,
    );
  return lines;
}

/** Differences and broken balances, one line each. */
export function redecisionProblems({ agents, events, stated }: Redecision): readonly string[] {
  const differences = events.filter(({ verdict }) => verdict === 'different').map(differenceLine);
  const breaks = agents.flatMap(breakLines);
  const statement = (stated ?? []).map((one) => `the statement of the package: ${differenceText(one)}`);
  return [...statement, ...shortened(differences, 'verdicts that differ'), ...shortened(breaks, 'broken balances')];
}

function differenceLine({ agentId, sequence, differences, otherEngine }: RedecidedEvent): string {
  const engine = otherEngine ? ', judged by another version of the engine' : '';
  return `event ${sequence} of agent ${agentId}: ${differences.map(differenceText).join('; ')}${engine}`;
}

/** The recorded value of a member, and the one that follows from the inputs. */
export function differenceText({ member, recorded, recomputed }: Difference): string {
  return `${member} is recorded as ${JSON.stringify(recorded)}, and computed as ${JSON.stringify(recomputed)}`;
}

function breakLines({ agentId, breaks }: RedecidedAgent): readonly string[] {
  return breaks.map((one) => `event ${one.sequence} of agent ${agentId}: ${breakText(one)}`);
}

/** The recorded value of a balance, and the one that follows from the checks before. */
export function breakText({ balance, recorded, least, most }: Break): string {
  const right = most === least ? least : most === null ? `${least} or more` : `${least} to ${most}`;
  return `the balance ${balance} is recorded as ${recorded}, and by the checks before it is ${right}`;
}

/** How many checks were withheld or not checked, by a text that says so and why. */
export function withheldCounts(events: readonly RedecidedEvent[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const event of events) {
    const reason = reasonText(event);
    if (reason === '') continue;
    const text = `${event.verdict === 'withheld' ? 'withheld' : 'not checked'}, since ${reason}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

/** @param counts as `withheldCounts` returns them */
export function withheldLines(counts: ReadonlyMap<string, number>): readonly string[] {
  return [...counts].map(([text, count]) => `${count} ${text}`);
}

function shortened(lines: readonly string[], what: string): readonly string[] {
  return lines.length > SHOWN ? [...lines.slice(0, SHOWN), `and ${lines.length - SHOWN} more ${what}`] : lines;
}

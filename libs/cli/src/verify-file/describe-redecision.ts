import type { Difference, RedecidedAgent, RedecidedEvent, Redecision } from '@countersign/redecide';

const SHOWN = 10;

const REASONS: Readonly<Record<string, string>> = {
  version: 'its record is of version 1, which holds no balances',
  context: 'its context is withheld',
  action: 'its action is withheld',
  profile: 'the profile in force is not in the package, or cannot be read here',
  payload: 'its payload was not kept or is withheld, and the profile judges payloads',
  rule: 'a rule of the profile cannot be evaluated here',
  engine: 'another version of the engine judged it, and this version has another verdict',
  no_room: 'it says that the counters had no room, which no package shows',
};

/** The results of a re-decision for the reader, one line each. */
export function describeRedecision({ totals, engine, events }: Redecision): readonly string[] {
  const { checks, same, different, withheld, erased, not_checked: notChecked, otherEngine, missing } = totals;
  const lines = [
    `${checks} verdicts: ${same} same, ${different} different, ${withheld} withheld, ${erased} erased, ${notChecked} not checked`,
    `balances of ${totals.agents} agents: ${totals.continuous} continuous, ${totals.broken} broken`,
  ];
  if (missing > 0) lines.push(`${missing} checks are missing between others: what they counted is not known`);
  if (otherEngine > 0)
    lines.push(
      `${otherEngine} checks were judged by another version than this one (engine ${engine.engine}, detectors ${engine.detectors})`,
    );
  return [...lines, ...withheldLines(events)];
}

/** Differences and broken balances, one line each. */
export function redecisionProblems({ agents, events }: Redecision): readonly string[] {
  const differences = events.filter(({ verdict }) => verdict === 'different').map(differenceLine);
  const breaks = agents.flatMap(breakLines);
  return [...shortened(differences, 'verdicts that differ'), ...shortened(breaks, 'broken balances')];
}

function differenceLine({ agentId, sequence, differences, otherEngine }: RedecidedEvent): string {
  const engine = otherEngine ? ', judged by another version of the engine' : '';
  return `event ${sequence} of agent ${agentId}: ${differences.map(differenceText).join('; ')}${engine}`;
}

function differenceText({ member, recorded, recomputed }: Difference): string {
  return `${member} is recorded as ${JSON.stringify(recorded)}, and computed as ${JSON.stringify(recomputed)}`;
}

function breakLines({ agentId, breaks }: RedecidedAgent): readonly string[] {
  return breaks.map(({ sequence, balance, recorded, least, most }) => {
    const right = most === least ? least : most === null ? `${least} or more` : `${least} to ${most}`;
    return `event ${sequence} of agent ${agentId}: the balance ${balance} is recorded as ${recorded}, and by the checks before it is ${right}`;
  });
}

function withheldLines(events: readonly RedecidedEvent[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { verdict, reason } of events) {
    if (verdict !== 'withheld' && verdict !== 'not_checked') continue;
    const line = `${verdict === 'withheld' ? 'withheld' : 'not checked'}, since ${REASONS[reason ?? ''] ?? reason}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return [...counts].map(([line, count]) => `${count} ${line}`);
}

function shortened(lines: readonly string[], what: string): readonly string[] {
  return lines.length > SHOWN ? [...lines.slice(0, SHOWN), `and ${lines.length - SHOWN} more ${what}`] : lines;
}

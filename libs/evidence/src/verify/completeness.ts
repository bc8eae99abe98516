import type { PackageWindow, SignedPackage } from '@countersign/contracts';
import type { CheckedEntry } from './package-entries.js';
import { counted, type Findings } from './findings.js';
import type { AgentCompleteness, SequenceRun, WindowCount } from './result.js';

/** Number of runs that are named individually. */
const NAMED_RUNS = 100;

/** Entries of each agent in the order of their sequence, by agent id. */
export type AgentRuns = ReadonlyMap<string, readonly CheckedEntry[]>;

/**
 * Checks each agent's sequences: one contiguous run, every number once, its ends inside the range, counted as in
 * `agents`. Missing numbers are named by agent and number.
 */
export function checkSequences(pkg: SignedPackage, entries: readonly CheckedEntry[], findings: Findings): AgentRuns {
  const byAgent = new Map<string, CheckedEntry[]>();
  for (const entry of entries) {
    const list = byAgent.get(entry.leaf.agentId);
    if (list === undefined) byAgent.set(entry.leaf.agentId, [entry]);
    else list.push(entry);
  }
  for (const run of byAgent.values()) run.sort((a, b) => a.entry.sequence - b.entry.sequence);
  for (const [agentId, run] of byAgent) checkRun(agentId, run, findings);
  checkAgents(pkg, byAgent, findings);
  findings.checked.push(
    `the sequence of ${counted(byAgent.size, 'agent')}: each number from the first to the last, once`,
  );
  return byAgent;
}

function checkRun(agentId: string, run: readonly CheckedEntry[], findings: Findings): void {
  for (let i = 1; i < run.length; i += 1) {
    const before = run[i - 1]!.entry.sequence;
    const { entry, index, leaf } = run[i]!;
    const path = `events[${index}].sequence`;
    if (entry.sequence <= before) {
      const message = `Number ${entry.sequence} of agent ${agentId} is there twice.`;
      findings.problem('sequence-duplicate', path, message, leaf.eventId);
    } else if (entry.sequence > before + 1) {
      const missing = runText({ first: before + 1, last: entry.sequence - 1 });
      const message = `${missing.text} of agent ${agentId} ${missing.verb} missing.`;
      findings.problem('sequence-missing', path, message, leaf.eventId);
    }
  }
  for (const end of new Set([run[0]!, run[run.length - 1]!])) {
    if (end.entry.outsideRange !== true) continue;
    const message = `The run of agent ${agentId} begins or ends with an event outside the range.`;
    findings.problem('range-mark-wrong', `events[${end.index}].outsideRange`, message, end.leaf.eventId);
  }
}

function runText({ first, last }: SequenceRun): { readonly text: string; readonly verb: string } {
  return first === last
    ? { text: `Number ${first}`, verb: 'is' }
    : { text: `Numbers ${first} to ${last}`, verb: 'are' };
}

function checkAgents(pkg: SignedPackage, byAgent: AgentRuns, findings: Findings): void {
  const listed = new Set<string>();
  pkg.agents.forEach((agent, i) => {
    const path = `agents[${i}]`;
    if (listed.has(agent.id)) findings.problem('structure', `${path}.id`, 'The agent is listed twice.');
    listed.add(agent.id);
    const run = byAgent.get(agent.id) ?? [];
    const first = run[0]?.entry.sequence ?? null;
    const last = run[run.length - 1]?.entry.sequence ?? null;
    if (agent.firstSequence !== first || agent.lastSequence !== last || agent.count !== run.length) {
      const message = `The figures of agent ${agent.id} are not those of its events.`;
      findings.problem('agent-figures-differ', path, message);
    }
  });
  for (const [agentId, run] of byAgent) {
    if (listed.has(agentId)) continue;
    const { index, leaf } = run[0]!;
    findings.problem('agent-unknown', `events[${index}].event.agentId`, 'The agent is not listed.', leaf.eventId);
  }
}

/**
 * Compares the runs of a package with the closed windows that it lists. Numbers of a window beyond the ends of a run
 * are not a problem, since the range may begin or end within the window, but they are named.
 */
export function countWindows(pkg: SignedPackage, runs: AgentRuns, findings: Findings): readonly AgentCompleteness[] {
  const windows = new Map<string, PackageWindow[]>();
  for (const window of pkg.windows) {
    const list = windows.get(window.agentId);
    if (list === undefined) windows.set(window.agentId, [window]);
    else list.push(window);
  }
  const found = pkg.agents.map(({ id }) => {
    const run = (runs.get(id) ?? []).map(({ entry }) => entry.sequence);
    const own = [...(windows.get(id) ?? [])].sort((a, b) => a.leaf.firstSequence - b.leaf.firstSequence);
    return agentCompleteness(id, run, own);
  });
  report(found, findings);
  return found;
}

function agentCompleteness(
  agentId: string,
  run: readonly number[],
  windows: readonly PackageWindow[],
): AgentCompleteness {
  const missing: SequenceRun[] = [];
  for (let i = 1; i < run.length && missing.length < NAMED_RUNS; i += 1) {
    if (run[i]! > run[i - 1]! + 1) missing.push({ first: run[i - 1]! + 1, last: run[i]! - 1 });
  }
  const first = run[0] ?? null;
  const last = run[run.length - 1] ?? null;
  const counts = windows.map(({ windowStart, windowEnd, leaf }): WindowCount => {
    const { firstSequence, lastSequence } = leaf;
    const absent =
      first === null || last === null
        ? [{ first: 1, last: Infinity }]
        : [{ first: 1, last: first - 1 }, ...missing, { first: last + 1, last: Infinity }];
    const notInPackage = absent
      .map((gap) => ({ first: Math.max(gap.first, firstSequence), last: Math.min(gap.last, lastSequence) }))
      .filter((gap) => gap.first <= gap.last);
    return { windowStart, windowEnd, firstSequence, lastSequence, notInPackage };
  });
  return { agentId, firstSequence: first, lastSequence: last, count: run.length, missing, windows: counts };
}

/** Number of ends of runs that are named individually. */
const NAMED_ENDS = 10;

function report(found: readonly AgentCompleteness[], findings: Findings): void {
  const closed = found.reduce((sum, { windows }) => sum + windows.length, 0);
  const ends = found.flatMap((agent) => agent.windows.flatMap((window) => beyondEnds(agent, window)));
  if (closed > 0)
    findings.checked.push(`the count of ${counted(closed, 'closed window')}, per agent, against the events`);
  findings.notChecked.push(...ends.slice(0, NAMED_ENDS));
  if (ends.length > NAMED_ENDS) findings.notChecked.push(`and ${ends.length - NAMED_ENDS} more ends of this kind`);
  const silent = found.filter(({ count }) => count === 0).length;
  if (silent > 0) {
    findings.notChecked.push(
      `${counted(silent, 'agent')} without an event: that there was none is proven by proofs of absence, window by window`,
    );
  }
}

function beyondEnds({ agentId, firstSequence, lastSequence }: AgentCompleteness, window: WindowCount): string[] {
  if (firstSequence === null || lastSequence === null) return [];
  return window.notInPackage.flatMap((gap) => {
    const before = gap.last < firstSequence;
    if (!before && gap.first <= lastSequence) return [];
    const { text } = runText(gap);
    const side = before ? 'before the first event' : 'after the last event';
    return `${text} of agent ${agentId} in the window of ${window.windowStart}: ${side} that the package holds of it`;
  });
}

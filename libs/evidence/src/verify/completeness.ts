import type { SignedPackage } from '@countersign/contracts';
import type { CheckedEntry } from './package-entries.js';
import { counted, type Findings } from './findings.js';

/** Each agent's sequences: one contiguous run, every number once, its ends inside the range, as `agents` counts it. */
export function checkSequences(pkg: SignedPackage, entries: readonly CheckedEntry[], findings: Findings): void {
  const byAgent = new Map<string, CheckedEntry[]>();
  for (const entry of entries) {
    const list = byAgent.get(entry.leaf.agentId);
    if (list === undefined) byAgent.set(entry.leaf.agentId, [entry]);
    else list.push(entry);
  }
  for (const run of byAgent.values()) run.sort((a, b) => a.entry.sequence - b.entry.sequence);
  for (const run of byAgent.values()) checkRun(run, findings);
  checkAgents(pkg, byAgent, findings);
  findings.checked.push(
    `the sequence of ${counted(byAgent.size, 'agent')}: each number from the first to the last, once`,
  );
}

function checkRun(run: readonly CheckedEntry[], findings: Findings): void {
  for (let i = 1; i < run.length; i += 1) {
    const before = run[i - 1]!;
    const { entry, index, leaf } = run[i]!;
    const expected = before.entry.sequence + 1;
    const path = `events[${index}].sequence`;
    if (entry.sequence < expected) {
      findings.problem(
        'sequence-duplicate',
        path,
        `Number ${entry.sequence} of the agent is there twice.`,
        leaf.eventId,
      );
    } else if (entry.sequence > expected) {
      const missing =
        entry.sequence - expected === 1
          ? `Number ${expected} of the agent is missing.`
          : `Numbers ${expected} to ${entry.sequence - 1} of the agent are missing.`;
      findings.problem('sequence-missing', path, missing, leaf.eventId);
    }
  }
  for (const end of new Set([run[0]!, run[run.length - 1]!])) {
    if (end.entry.outsideRange !== true) continue;
    const message = 'The run of the agent begins or ends with an event outside the range.';
    findings.problem('range-mark-wrong', `events[${end.index}].outsideRange`, message, end.leaf.eventId);
  }
}

function checkAgents(
  pkg: SignedPackage,
  byAgent: ReadonlyMap<string, readonly CheckedEntry[]>,
  findings: Findings,
): void {
  const listed = new Set<string>();
  pkg.agents.forEach((agent, i) => {
    const path = `agents[${i}]`;
    if (listed.has(agent.id)) findings.problem('structure', `${path}.id`, 'The agent is listed twice.');
    listed.add(agent.id);
    const run = byAgent.get(agent.id) ?? [];
    const first = run[0]?.entry.sequence ?? null;
    const last = run[run.length - 1]?.entry.sequence ?? null;
    if (agent.firstSequence !== first || agent.lastSequence !== last || agent.count !== run.length) {
      findings.problem('agent-figures-differ', path, "The agent's figures are not those of its events.");
    }
  });
  for (const [agentId, run] of byAgent) {
    if (listed.has(agentId)) continue;
    const { index, leaf } = run[0]!;
    findings.problem('agent-unknown', `events[${index}].event.agentId`, 'The agent is not listed.', leaf.eventId);
  }
}

import { isAccountStream } from '@countersign/contracts';
import type { Framework, PackageAgent, PackageControl, PackageEvent, SignedPackage } from '@countersign/contracts';

/** Sequence numbers from `first` to `last`, both included. */
export interface Run {
  readonly first: number;
  last: number;
}

/** An agent of the report with the figures counted from its entries. */
export interface AgentFigures {
  /** `A1`, `A2` … in the order of the report; `P`: the trail of the account. */
  readonly label: string;
  readonly agent: PackageAgent;
  readonly runs: readonly Run[];
  /** Numbers between the first and the last without an entry. */
  readonly missing: readonly Run[];
  readonly count: number;
  readonly anchored: number;
}

/** Events with the same controls, decision and status. */
export interface EventGroup {
  /** `S1`, `S2` … in the order of their first event. */
  readonly label: string;
  readonly example: PackageEvent;
  count: number;
  /** By label of the agent. */
  readonly runs: Map<string, Run[]>;
}

export interface ControlFigures {
  readonly controlId: string;
  readonly title: string;
  readonly relation: PackageControl['relation'];
  readonly counts: Record<PackageControl['status'], number>;
  readonly groups: readonly EventGroup[];
}

export interface ReportFacts {
  readonly agents: readonly AgentFigures[];
  readonly groups: readonly EventGroup[];
  readonly agentOf: (event: PackageEvent) => string;
  readonly groupOf: (event: PackageEvent) => EventGroup;
  /** The controls of the framework that have events, by id. */
  controls(framework: Framework): readonly ControlFigures[];
  /** Number of events without a control of the framework. */
  unmapped(framework: Framework): number;
  /** Reported outcomes, and answers in doubt, by the id of the check. */
  readonly referring: ReadonlyMap<string, readonly PackageEvent[]>;
  /** Notes of people about refused checks, by the id of the check; `null`: the package lists no events of people. */
  readonly followUps: ReadonlyMap<string, readonly PackageEvent[]> | null;
}

/** Counts a package's entries: the document never repeats a figure that its own entries do not give. */
export function reportFacts(content: SignedPackage): ReportFacts {
  const labels = new Map(content.agents.map(({ id }, i) => [id, labelOf(id, i)]));
  const agentOf = ({ event }: PackageEvent): string => labels.get(event.agentId) ?? '?';
  const groups = new Map<string, EventGroup>();
  const byEvent = new Map<PackageEvent, EventGroup>();
  const referring = new Map<string, PackageEvent[]>();
  const followUps = new Map<string, PackageEvent[]>();
  for (const entry of content.events) {
    const group = groupFor(groups, entry);
    group.count += 1;
    const runs = group.runs.get(agentOf(entry)) ?? [];
    if (runs.length === 0) group.runs.set(agentOf(entry), runs);
    extend(runs, entry.sequence);
    byEvent.set(entry, group);
    const { refersTo, type } = entry.event;
    if (refersTo === null) continue;
    if (type === 'action.outcome' || type === 'action.unanswered') add(referring, refersTo, entry);
    if (type === 'account.alert_followed_up') add(followUps, refersTo, entry);
  }
  const list = [...groups.values()];
  return {
    agents: agentFigures(content),
    groups: list,
    agentOf,
    groupOf: (event) => byEvent.get(event)!,
    controls: (framework) => controlFigures(list, framework),
    unmapped: (framework) =>
      list
        .filter(({ example }) => !example.controls.some((control) => control.framework === framework))
        .reduce((sum, { count }) => sum + count, 0),
    referring,
    followUps: content.agents.some(({ id }) => isAccountStream(id)) ? followUps : null,
  };
}

function add(lists: Map<string, PackageEvent[]>, id: string, entry: PackageEvent): void {
  lists.set(id, [...(lists.get(id) ?? []), entry]);
}

function labelOf(id: string, i: number): string {
  return isAccountStream(id) ? 'P' : `A${i + 1}`;
}

function groupFor(groups: Map<string, EventGroup>, entry: PackageEvent): EventGroup {
  const { event, controls, status } = entry;
  const { type, actionKind, outcome, violation_type: violation } = event;
  const spoken = controls.map(({ framework, controlId, relation }) => `${framework}/${controlId}/${relation}`);
  const key = JSON.stringify([type, actionKind, outcome, violation, status, ...spoken]);
  const known = groups.get(key);
  if (known !== undefined) return known;
  const group: EventGroup = { label: `S${groups.size + 1}`, example: entry, count: 0, runs: new Map() };
  groups.set(key, group);
  return group;
}

function extend(runs: Run[], sequence: number): void {
  const last = runs.at(-1);
  if (last !== undefined && last.last + 1 === sequence) last.last = sequence;
  else runs.push({ first: sequence, last: sequence });
}

function agentFigures({ agents, events, inclusionProofs }: SignedPackage): AgentFigures[] {
  const entries = new Map(agents.map(({ id }) => [id, { sequences: [] as number[], anchored: 0 }]));
  events.forEach(({ event, sequence }, i) => {
    const entry = entries.get(event.agentId);
    entry?.sequences.push(sequence);
    if (entry !== undefined && inclusionProofs[i]?.anchored === true) entry.anchored += 1;
  });
  return agents.map((agent, i) => {
    const { sequences, anchored } = entries.get(agent.id)!;
    const runs: Run[] = [];
    for (const sequence of sequences.sort((a, b) => a - b)) extend(runs, sequence);
    const missing = runs.slice(1).map(({ first }, at) => ({ first: runs[at]!.last + 1, last: first - 1 }));
    return { label: labelOf(agent.id, i), agent, runs, missing, count: sequences.length, anchored };
  });
}

function controlFigures(groups: readonly EventGroup[], framework: Framework): ControlFigures[] {
  const found = new Map<string, { control: PackageControl; counts: ControlFigures['counts']; groups: EventGroup[] }>();
  for (const group of groups) {
    for (const control of group.example.controls) {
      if (control.framework !== framework) continue;
      const key = `${control.controlId}/${control.relation}`;
      const figures = found.get(key) ?? {
        control,
        counts: { Satisfied: 0, Prevented: 0, 'Gap, review required': 0 },
        groups: [],
      };
      figures.counts[control.status] += group.count;
      figures.groups.push(group);
      found.set(key, figures);
    }
  }
  return [...found.values()]
    .map(({ control: { controlId, title, relation }, ...figures }) => ({ controlId, title, relation, ...figures }))
    .sort((a, b) => a.controlId.localeCompare(b.controlId, 'en', { numeric: true }));
}

/** `1–12, 15, 20–31`. */
export function runsText(runs: readonly Run[]): string {
  return runs.map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`)).join(', ');
}

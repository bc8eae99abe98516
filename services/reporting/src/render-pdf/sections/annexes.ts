import type { SignedPackage } from '@countersign/contracts';
import type { Flow } from '../flow.js';
import { runsText, type EventGroup, type ReportFacts } from '../report-facts.js';
import { eventLabel, FRAMEWORK_NAMES, shortStatus } from './wording.js';

const GROUPS = [
  { title: 'Group', share: 9 },
  { title: 'Events', share: 28 },
  { title: 'Status', share: 16 },
  { title: 'Count', share: 9 },
  { title: 'Numbers, by agent', share: 58 },
];

/** Annex A: the events of each control. Annex B: one line per event. */
export function drawAnnexes(flow: Flow, content: SignedPackage, facts: ReportFacts): void {
  flow.heading(2, 'Annex A  Groups of events', true);
  flow.paragraph(
    'Events of one group were decided alike, have the same status and speak to the same controls. The numbers are those of section 3.',
  );
  if (facts.groups.length === 0) flow.paragraph('The report holds no event.');
  else flow.table(GROUPS, facts.groups.map(row));
  flow.heading(2, 'Annex B  Register of events', true);
  flow.paragraph(
    'One line for each event in the order of agents and numbers. Anchored: in a finalized transaction when this was issued. A star: the time lies outside of the period.',
  );
  if (content.events.length > 0) flow.listing(line(HEAD), register(content, facts), 6.2);
}

function row({ label, example, count, runs }: EventGroup): ({ text: string; ink: { face: 'bold' } } | string)[] {
  const { event, status, controls } = example;
  const frameworks = [...new Set(controls.map(({ framework }) => FRAMEWORK_NAMES[framework].split(' – ')[0]!))];
  const violation = event.violation_type === null ? '' : `, ${event.violation_type}`;
  const numbers = [...runs].map(([agent, some]) => `${agent}: ${runsText(some)}`).join('; ');
  return [
    { text: label, ink: { face: 'bold' } },
    `${eventLabel(event)}${violation} – ${frameworks.join(', ') || 'no control'}`,
    status,
    `${count}`,
    numbers,
  ];
}

interface Line {
  readonly agent: string;
  readonly number: string;
  readonly time: string;
  readonly id: string;
  readonly what: string;
  readonly status: string;
  readonly group: string;
  readonly anchored: string;
}

const HEAD: Line = {
  agent: 'Agent',
  number: 'Number',
  time: 'Time',
  id: 'Event',
  what: 'What',
  status: 'Status',
  group: 'Group',
  anchored: 'Anchored',
};

function line({ agent, number, time, id, what, status, group, anchored }: Line): string {
  const columns: readonly (readonly [string, number])[] = [
    [agent, 6],
    [number, 8],
    [time, 26],
    [id, 38],
    [what, 28],
    [status, 10],
    [group, 6],
    [anchored, 8],
  ];
  return columns.map(([text, width]) => text.padEnd(width)).join('');
}

function* register({ events, inclusionProofs }: SignedPackage, facts: ReportFacts): Generator<string> {
  for (const [i, entry] of events.entries()) {
    const { event, sequence } = entry;
    yield line({
      agent: facts.agentOf(entry),
      number: `${sequence}`,
      time: `${event.occurredAt}${entry.outsideRange === true ? '*' : ''}`,
      id: event.eventId,
      what: eventLabel(event),
      status: shortStatus(entry),
      group: facts.groupOf(entry).label,
      anchored: inclusionProofs[i]?.anchored === true ? 'yes' : 'no',
    });
  }
}

import type { ControlState, CoveredControl } from '@countersign/contracts';
import { number } from './en.js';

const events = (count: number): string => `${number(count)} ${count === 1 ? 'event' : 'events'}`;
const gaps = (count: number): string => `${number(count)} ${count === 1 ? 'gap' : 'gaps'}`;

/** Texts of the screen of coverage. Its words speak of events: none of them is a verdict over a control. */
export const coverageWords = {
  title: 'Coverage',
  lead: 'How far the recorded events show each control. It is a preview: the signed report of the same time counts.',
  filters: 'Filters',
  framework: 'Framework',
  range: 'Time',
  ranges: { day: 'Last 24 hours', week: 'Last 7 days', month: 'Last 30 days', custom: 'From … to …' },
  from: 'From (UTC)',
  to: 'To (UTC)',
  agent: 'Agent',
  anyAgent: 'All agents',
  by: 'Columns',
  columnsBy: { day: 'Days', agent: 'Agents' },
  asOf: 'As of',
  again: 'Count again',
  counting: 'Counting…',
  failed: 'Coverage could not be counted',
  old: (at: string) => `What is shown was counted at ${at}.`,
  statement: 'What this covers',
  scope: 'Declare the scope',
  report: 'Issue a report',
  mapping: 'Mapping',
  hash: 'SHA-256 of the mapping',
  counted: 'Events of this time',
  empty: 'No events in this time',
  emptyLead:
    'Each check of an agent is evidence for some of these controls. The kinds of events are named with each control below.',
  table: 'Controls and the events that show them',
  columns: { control: 'Control', state: 'State', events: 'Events', gap: 'Gaps' },
  states: {
    shown: 'Shown',
    shown_with_gaps: 'Shown with gaps',
    not_shown: 'Not shown by events',
    needs_declaration: 'Needs your declaration',
    does_not_apply: 'Does not apply',
  } satisfies Record<ControlState, string>,
  relations: {
    direct: 'Direct: the event itself is what the control asks for.',
    supporting: 'Supporting: the event shows a part of it.',
    contextual: 'Contextual: the event relates to it and shows no part of it.',
  } satisfies Record<CoveredControl['relation'], string>,
  relation: { direct: 'direct', supporting: 'supporting', contextual: 'contextual' } satisfies Record<
    CoveredControl['relation'],
    string
  >,
  cell: (count: number, control: string, column: string) => `${events(count)} for ${control}, ${column}`,
  gapCell: (count: number, control: string, column: string) => `${gaps(count)} for ${control}, ${column}`,
  gaps,
  noEvents: 'None',
  moreAgents: (count: number) =>
    `${number(count)} more ${count === 1 ? 'agent has' : 'agents have'} events in this time: choose an agent to see its column.`,
  about: 'What an event shows of a control, and what it does not',
  aboutColumns: {
    control: 'Control',
    relation: 'Relation',
    rationale: 'Shows, and does not show',
    kinds: 'Kinds of events',
    source: 'Source',
  },
  anyEvent: 'any event',
  list: {
    title: (control: string) => `Events for ${control}`,
    back: 'Coverage',
    count: events,
    from: 'From',
    to: 'to',
    status: 'Status',
    anyStatus: 'Any status',
    statuses: {
      Satisfied: 'Recorded as required',
      Prevented: 'Prevented',
      'Gap, review required': 'Gap, review required',
    },
    failed: 'Events could not be read',
    unnamed: 'This address names no control: open a number on the screen of coverage.',
    empty: 'No events',
    emptyLead: 'No event of this time is evidence for this control.',
    table: 'Events, newest first',
    columns: { time: 'Time', agent: 'Agent', event: 'Event', status: 'Status', reason: 'Reason', sequence: 'No.' },
  },
} as const;

import { isAccountStream } from '@countersign/contracts';
import type { SignedPackage } from '@countersign/contracts';
import type { Flow } from '../flow.js';
import type { ReportFacts } from '../report-facts.js';
import type { Span } from '../spans.js';
import { auditedRows, drawNetwork } from './audited.js';
import { policiesText } from './policies.js';
import { recomputedRows } from './recomputed.js';
import { counted, FRAMEWORK_NAMES, networksOf } from './wording.js';

const COLUMNS = [
  { title: 'What', share: 30 },
  { title: 'Value', share: 70 },
];
const FIGURES = [
  { title: 'Count of', share: 46 },
  { title: 'Events', share: 12 },
  { title: 'Which means', share: 62 },
];

/** First page: the subject of the report, its size, and its results. */
export function drawCover(flow: Flow, content: SignedPackage, facts: ReportFacts): void {
  const { timestamp, mapping, generator, summary, frameworks } = content;
  flow.heading(1, 'Evidence of agent actions');
  flow.paragraph(`Signed report ${content.reportId}`, { size: 10, colour: 'grey' });
  drawNetwork(flow, content);
  flow.heading(3, 'Scope');
  flow.table(COLUMNS, [
    ...auditedRows(flow, content),
    ['Issued at', timestamp.issued_at],
    ['Frameworks', frameworks.map((framework) => FRAMEWORK_NAMES[framework]).join('; ')],
    ['Population', populationText(facts)],
    ['Policies in force', policiesText(content)],
    ['Anchored windows', counted(new Set(content.windows.map(({ merkleRoot }) => merkleRoot)).size, 'window')],
    ['Control mapping', `version ${mapping.version}, SHA-256 ${mapping.sha256}`],
    ['Drawn from', `the signed package embedded in this file, SHA-256 ${content.sha256}`],
    ['Made by', `${generator.name} ${generator.version}`],
  ]);
  flow.heading(3, 'Verdicts');
  flow.table(FIGURES, [...verdicts(summary), ['All events', `${summary.events}`, 'the three verdicts together']]);
  flow.heading(3, 'Decisions and proofs');
  flow.table(FIGURES, [...decisions(summary, networksOf(content)), ...violations(summary)]);
  const recomputed = recomputedRows(content, facts);
  if (recomputed.length === 0) return;
  flow.heading(3, 'Verdicts, computed again');
  flow.table(FIGURES, recomputed);
}

/** The events of the agents, and apart from them those of the people of the account. */
function populationText({ agents: all }: ReportFacts): string {
  const agents = all.filter(({ agent }) => !isAccountStream(agent.id));
  const trails = all.filter(({ agent }) => isAccountStream(agent.id));
  const eventsOf = (some: ReportFacts['agents']): string =>
    counted(
      some.reduce((sum, { count }) => sum + count, 0),
      'event',
    );
  const silent = agents.filter(({ count }) => count === 0).length;
  return [
    `${eventsOf(agents)} of ${counted(agents.length, 'agent')}`,
    ...(trails.length === 0 ? [] : [`${eventsOf(trails)} of the people of the account`]),
    ...(silent === 0 ? [] : [`${counted(silent, 'agent')} without an event in the period`]),
  ].join('; ');
}

function verdicts({ satisfied, prevented, gap }: SignedPackage['summary']): (readonly (Span | string)[])[] {
  const bold = { face: 'bold' } as const;
  return [
    [
      'Satisfied',
      { text: `${satisfied}`, ink: bold },
      'The recorded control activity operated as configured for this event.',
    ],
    [
      'Prevented',
      { text: `${prevented}`, ink: bold },
      'The action was refused, and nothing but “skipped” was reported of it. It is still an attempt that wants triage.',
    ],
    [
      { text: 'Gap, review required', ink: gap === 0 ? {} : { colour: 'red' } },
      { text: `${gap}`, ink: bold },
      'Evidence is missing, or a control did not operate: section 5 has each with its reason.',
    ],
  ];
}

function decisions(summary: SignedPackage['summary'], networks: readonly string[]): (readonly string[])[] {
  const { reported, of } = summary.outcomes;
  return [
    ['Checks allowed', `${summary.allowed}`, 'the profile in force let the action pass'],
    ['Checks denied', `${summary.denied}`, 'a rule of the profile refused it: section 6'],
    ['Checks refused, agent frozen', `${summary.frozen}`, 'every action of a frozen agent is refused'],
    ['Checks refused by plan', `${summary.capped}`, 'the account’s plan had ended or was used up'],
    ['Outcomes reported', `${reported}`, `of ${counted(of, 'check')}; what was not reported is not known`],
    [
      'Anchored',
      `${summary.anchored}`,
      `in a finalized transaction${networks.length === 0 ? '' : ` on ${networks.join(', ')}`} when this was issued`,
    ],
    ['Not yet anchored', `${summary.unanchored}`, 'covered by the signature of this report alone'],
  ];
}

function violations({ byViolation }: SignedPackage['summary']): (readonly string[])[] {
  return Object.entries(byViolation)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([type, count]) => [`Violation ${type}`, `${count}`, 'checks that found it, whatever was decided']);
}

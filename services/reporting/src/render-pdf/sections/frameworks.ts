import type { Framework, SignedPackage } from '@countersign/contracts';
import type { Flow } from '../flow.js';
import type { ControlFigures, ReportFacts } from '../report-facts.js';
import type { Span } from '../spans.js';
import { counted, FRAMEWORK_NAMES } from './wording.js';

const CONTROLS = [
  { title: 'Control', share: 28 },
  { title: 'Short title', share: 36 },
  { title: 'Relation', share: 15 },
  { title: 'Satisfied', share: 17 },
  { title: 'Prevented', share: 17 },
  { title: 'Gap', share: 9 },
  { title: 'Events (annex A)', share: 40 },
];

/** Section 4: for each framework its declared scope, then its controls with their events. */
export function drawFrameworks(flow: Flow, content: SignedPackage, facts: ReportFacts): void {
  flow.heading(2, '4  Frameworks and controls', true);
  flow.paragraph(
    'For each control that an event of the period speaks to: how many events, with which status, and which. “S1” and so on name groups of events: annex A gives the numbers of each group’s events, annex B each event.',
  );
  for (const framework of content.frameworks) drawFramework(flow, framework, content, facts);
}

function drawFramework(flow: Flow, framework: Framework, content: SignedPackage, facts: ReportFacts): void {
  flow.heading(3, FRAMEWORK_NAMES[framework]);
  for (const { framework: of, text } of content.statements) if (of === framework) flow.paragraph(text);
  const controls = facts.controls(framework);
  if (controls.length > 0) flow.table(CONTROLS, controls.map(row));
  const unmapped = facts.unmapped(framework);
  if (controls.length === 0) flow.paragraph('No event of this report speaks to a control of this framework.');
  else if (unmapped > 0)
    flow.paragraph(
      `Not mapped: ${counted(unmapped, 'event')} of this report ${unmapped === 1 ? 'speaks' : 'speak'} to no control of this framework.`,
      { size: 8 },
    );
}

function row({ controlId, title, relation, counts, groups }: ControlFigures): (Span | string)[] {
  const gap = counts['Gap, review required'];
  return [
    { text: controlId, ink: { face: 'bold' } },
    title,
    relation,
    `${counts.Satisfied}`,
    `${counts.Prevented}`,
    gap === 0 ? '0' : { text: `${gap}`, ink: { face: 'bold', colour: 'red' } },
    groups.map(({ label, count }) => `${label}\u00a0(${count})`).join(', '),
  ];
}

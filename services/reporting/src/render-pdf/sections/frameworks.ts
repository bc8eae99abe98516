import type { Framework, SignedPackage } from '@countersign/contracts';
import type { Flow } from '../flow.js';
import type { ControlFigures, ReportFacts } from '../report-facts.js';
import type { Span } from '../spans.js';
import { counted, FRAMEWORK_NAMES, LIMITS } from './wording.js';

const CONTROLS = [
  { title: 'Control', share: 24 },
  { title: 'Short title', share: 34 },
  { title: 'Relation', share: 19 },
  { title: 'Population', share: 18 },
  { title: 'Prevented', share: 19 },
  { title: 'Exceptions', share: 18 },
  { title: 'Events (annex A)', share: 34 },
];

const RATIONALES = [
  { title: 'Control', share: 24 },
  { title: 'Relation', share: 19 },
  { title: 'What the event shows, and what it does not', share: 100 },
];

/** Section 4: for each framework its declared scope, then its controls with their events. */
export function drawFrameworks(flow: Flow, content: SignedPackage, facts: ReportFacts): void {
  flow.heading(2, '4  Frameworks and controls', true);
  flow.paragraph(
    'For each control that an event of the period speaks to: how many events, with which status, and which. “S1” and so on name groups of events: annex A gives the numbers of each group’s events, annex B each event.',
  );
  flow.paragraph(
    'Population: all events listed under the control. Exceptions: those of them with the status “Gap, review required”, which section 5 has with their reasons. That exceptions and prevented actions were followed up is not recorded in this report. No figure is a score.',
  );
  for (const framework of content.frameworks) drawFramework(flow, framework, content, facts);
}

function drawFramework(flow: Flow, framework: Framework, content: SignedPackage, facts: ReportFacts): void {
  flow.heading(3, FRAMEWORK_NAMES[framework]);
  for (const { framework: of, text } of content.statements) if (of === framework) flow.paragraph(text);
  const controls = facts.controls(framework);
  if (controls.length > 0) {
    flow.table(CONTROLS, controls.map(row));
    drawRationales(flow, framework, content, controls);
  }
  const unmapped = facts.unmapped(framework);
  if (controls.length === 0) flow.paragraph('No event of this report speaks to a control of this framework.');
  else if (unmapped > 0)
    flow.paragraph(
      `Not mapped: ${counted(unmapped, 'event')} of this report ${unmapped === 1 ? 'speaks' : 'speak'} to no control of this framework.`,
      { size: 8 },
    );
}

/** Why each control is listed, where the package says so, and the source of its text. */
function drawRationales(
  flow: Flow,
  framework: Framework,
  { mappingRows }: SignedPackage,
  controls: readonly ControlFigures[],
): void {
  const rows = (mappingRows ?? []).filter((one) => one.framework === framework);
  if (rows.length === 0) return;
  const rationaleOf = ({ controlId, relation }: ControlFigures): string =>
    rows.find((one) => one.controlId === controlId && one.relation === relation)?.rationale ?? '–';
  flow.table(
    RATIONALES,
    controls.map((one) => [
      { text: one.controlId, ink: { face: 'bold' } },
      one.relation,
      flow.sheet.shown(rationaleOf(one), LIMITS.reason),
    ]),
  );
  const sources = [...new Set(rows.map(({ source }) => `${source.edition}, ${source.url}`))];
  flow.paragraph(
    `Source: ${sources.map((text) => flow.sheet.shown(text, LIMITS.reason)).join('; ')}. Direct: the event itself is what the control asks for. Supporting: it shows a part of the control. Contextual: it relates to the control and shows no part of it.`,
    { size: 8 },
  );
}

function row({ controlId, title, relation, counts, groups }: ControlFigures): (Span | string)[] {
  const gap = counts['Gap, review required'];
  return [
    { text: controlId, ink: { face: 'bold' } },
    title,
    relation,
    `${counts.Satisfied + counts.Prevented + gap}`,
    `${counts.Prevented}`,
    gap === 0 ? '0' : { text: `${gap}`, ink: { face: 'bold', colour: 'red' } },
    groups.map(({ label, count }) => `${label}\u00a0(${count})`).join(', '),
  ];
}

import type { DecisionFigures, PackageOversight, SignedPackage } from '@countersign/contracts';
import type { Flow } from '../flow.js';
import type { ReportFacts } from '../report-facts.js';
import type { Span } from '../spans.js';
import { counted, LIMITS } from './wording.js';

type Row = readonly (Span | string)[];

const FIGURES = [
  { title: 'Count of', share: 46 },
  { title: 'Count', share: 14 },
  { title: 'Which means', share: 62 },
];
const SHARES = { name: 46, role: 18, figure: 14, time: 22 };
const SPEED = [
  { title: 'Refused', share: SHARES.figure },
  { title: 'Median', share: SHARES.time },
  { title: 'Under 3 s', share: SHARES.figure },
];
const PEOPLE = [
  { title: 'Person', share: SHARES.name },
  { title: 'Role', share: SHARES.role },
  { title: 'Decisions', share: SHARES.figure },
  ...SPEED,
];
const RULES = [
  { title: 'Rule', share: SHARES.name },
  { title: 'Agent', share: SHARES.role },
  { title: 'Decisions', share: SHARES.figure },
  ...SPEED,
];

/** Human oversight, after the denials: what waited for a person, who decided, how fast, and what was never refused. */
export function drawOversight(flow: Flow, { oversight }: SignedPackage, facts: ReportFacts): void {
  if (oversight === undefined) return;
  flow.heading(2, 'Human oversight');
  const none = noApprovals(oversight);
  if (none !== null) {
    flow.paragraph(none);
    return;
  }
  flow.paragraph(
    'What people decided about actions that had to wait for them, counted from the events of this report; a verifier counts it again. Refused: the denials of all decisions. A decision in less than three seconds, and a rule under which nothing was ever refused, may be signs of approvals without a look. Whether they are is for the reader to say.',
  );
  flow.table(FIGURES, oversightRows(oversight));
  const label = new Map(facts.agents.map(({ agent, label: short }) => [agent.id, short]));
  if (oversight.people.length > 0) {
    flow.heading(3, 'By person');
    flow.table(
      PEOPLE,
      oversight.people.map((one) => [
        flow.sheet.shown(one.by, LIMITS.name),
        flow.sheet.shown(one.role, LIMITS.name),
        ...figures(one),
      ]),
    );
  }
  flow.heading(3, 'By rule');
  flow.table(
    RULES,
    oversight.rules.map((one) => [
      one.rule === null ? '–' : flow.sheet.shown(one.rule, LIMITS.name),
      label.get(one.agentId) ?? '?',
      ...figures(one),
    ]),
  );
}

/** The one line of a report without approvals; `null`: it has some. */
export function noApprovals({ totals, consumed }: PackageOversight): string | null {
  if (totals.requested + totals.earlier + consumed > 0) return null;
  return 'No action in this report waited for an approval.';
}

/** The table of all approvals together. */
export function oversightRows({ totals, consumed, latency, rules, notShown }: PackageOversight): readonly Row[] {
  const never = rules.filter(({ approved, denied }) => approved > 0 && denied === 0).length;
  const open = notShown.withheld + notShown.erased;
  return [
    [
      'Requests for an approval',
      `${totals.requested}`,
      totals.earlier === 0 ? 'actions that waited' : `and ${totals.earlier} requested before the events of this report`,
    ],
    ['Approved', `${totals.approved}`, `${counted(consumed, 'event')} say that one was used up`],
    ['Denied', `${totals.denied}`, 'by a person'],
    totals.expired === 0
      ? ['Expired without a decision', '0', 'all were decided in time, or are pending']
      : [
          { text: 'Expired without a decision', ink: { colour: 'red' } },
          { text: `${totals.expired}`, ink: { face: 'bold' } },
          'Gap, review required, where its event says that it was not decided in time: by no person, or by fewer than the rule asks; events from before do not say it',
        ],
    ['Pending at the end', `${totals.pending}`, 'this report has no end of them'],
    [
      'Median time to the decision',
      latency.medianMs === null ? '–' : timeText(latency.medianMs),
      `of ${counted(latency.of, 'decision')} whose request is in this report`,
    ],
    ['Decided in less than 3 s', `${latency.under3s}`, `of ${counted(latency.of, 'decision')}`],
    ['Rules that were never refused', `${never}`, 'something was approved under them, and nothing denied'],
    ['Approvals without a shown person', `${open}`, `${notShown.withheld} withheld, ${notShown.erased} erased`],
  ];
}

function figures({ approved, denied, medianMs, under3s }: DecisionFigures): readonly string[] {
  const all = approved + denied;
  const refused = all === 0 ? '–' : denied === 0 ? 'never' : `${Math.round((100 * denied) / all)} %`;
  return [`${all}`, refused, medianMs === null ? '–' : timeText(medianMs), `${under3s}`];
}

/** `0.9 s`, `75 s`, `12 min`, `30 h`. */
function timeText(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  return `${Math.round(ms / 3_600_000)} h`;
}

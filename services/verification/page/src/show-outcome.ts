import { element, oneLine } from './elements.js';
import type { AgentCompleteness, WindowTime } from './evidence.js';
import type { Expected } from './expected.js';
import type { Outcome } from './outcome.js';
import { showOversight } from './show-oversight.js';
import { showRedecision } from './show-redecision.js';

const VERDICTS: Readonly<Record<Outcome['verdict'], readonly [string, string]>> = {
  holds: ['Verified', 'Everything that can be checked was checked, and holds.'],
  partly: ['Nothing is wrong, but not everything was checked', 'Read below what was not checked, and why.'],
  refused: ['Do not rely on this file', 'Something in it does not hold.'],
};

/** Problems that are listed; more of them say no more. */
const SHOWN_PROBLEMS = 10;
const SHOWN_AGENTS = 50;
const SHOWN_WINDOWS = 20;

/** The result in plain words: the verdict, the first thing that is wrong, then what was and what was not checked. */
export function showOutcome(fileName: string, outcome: Outcome, expected: Expected): HTMLElement {
  const [title, words] = VERDICTS[outcome.verdict];
  const heading = element('h2', { tabindex: '-1', id: 'verdict' }, title);
  const box = element('div', { class: `verdict ${outcome.verdict}` }, heading, element('p', {}, words));
  const [first, ...others] = outcome.problems;
  if (first !== undefined) {
    box.append(element('p', { class: 'first' }, element('strong', {}, 'First thing wrong: '), problemText(first)));
  }
  const parts = [...comparison(outcome, expected), box, factsOf(fileName, outcome)];
  if (others.length > 0) {
    const shown = others.slice(0, SHOWN_PROBLEMS).map(problemText);
    const left = outcome.problemCount - 1 - shown.length;
    parts.push(section('Also wrong', [...shown, ...(left > 0 ? [`and ${left} more`] : [])], 'wrong'));
  }
  if (outcome.checked.length > 0) parts.push(section('Checked', outcome.checked, 'ok'));
  if (outcome.notChecked.length > 0) parts.push(section('Not checked', outcome.notChecked, 'open'));
  if (outcome.redecision !== null) parts.push(showRedecision(outcome.redecision));
  if (outcome.oversight !== null) parts.push(showOversight(outcome.oversight));
  if (outcome.completeness.length > 0) parts.push(sequences(outcome.completeness));
  if (outcome.windowTimes.length > 0) parts.push(times(outcome.windowTimes));
  return element('div', {}, ...parts);
}

function problemText({ path, message, code }: Outcome['problems'][number]): string {
  return oneLine(`${path === '' ? '' : `${path}: `}${message} [${code}]`);
}

/** Compares the file with the one that the reader expects. */
function comparison(outcome: Outcome, { sha256, reportId }: Expected): HTMLElement[] {
  if (outcome.what !== 'package' || (sha256 === null && reportId === null)) return [];
  const same =
    (sha256 === null || sha256 === outcome.packageSha256) && (reportId === null || reportId === outcome.reportId);
  return [
    same
      ? element('p', { class: 'note' }, 'This is the report that you came for.')
      : element('p', { class: 'note wrong' }, 'This is another report than the one whose code or link you followed.'),
  ];
}

function factsOf(fileName: string, outcome: Outcome): HTMLElement {
  const list = element('dl', {});
  const add = (name: string, value: string): void =>
    list.append(element('dt', {}, name), element('dd', {}, oneLine(value)));
  add('File', fileName);
  for (const [name, value] of outcome.facts) add(name, value);
  if (outcome.keySource !== null) add('Key', outcome.keySource);
  if (outcome.chainSource !== '') add('Chain', outcome.chainSource);
  const title = outcome.verdict === 'refused' ? 'What the file says of itself' : 'What it is';
  return element('section', {}, element('h3', {}, title), list);
}

function section(title: string, lines: readonly string[], kind: string): HTMLElement {
  const items = lines.map((line) => element('li', {}, oneLine(line)));
  return element('section', {}, element('h3', {}, title), element('ul', { class: kind }, ...items));
}

/** When the windows were anchored, those that came last after their end first. */
function times(windows: readonly WindowTime[]): HTMLElement {
  const slowest = [...windows].sort((a, b) => (b.secondsAfterEnd ?? Infinity) - (a.secondsAfterEnd ?? Infinity));
  const lines = slowest.slice(0, SHOWN_WINDOWS).map(({ windowStart, windowEnd, anchoredAt, secondsAfterEnd }) => {
    const when = anchoredAt === null ? 'no time is known' : `${anchoredAt}, ${secondsAfterEnd!} s after its end`;
    return `${windowStart} to ${windowEnd}: anchored ${when}`;
  });
  const left = windows.length - lines.length;
  return section('Windows', left > 0 ? [...lines, `and ${left} more, sooner`] : lines, 'times');
}

function sequences(agents: readonly AgentCompleteness[]): HTMLElement {
  const rows = agents
    .slice(0, SHOWN_AGENTS)
    .map(({ agentId, firstSequence, lastSequence, count, missing, windows }) => {
      const gone = missing.map(({ first, last }) => (first === last ? `${first}` : `${first} to ${last}`));
      const whole = windows.filter(({ notInPackage }) => notInPackage.length === 0).length;
      const cells = [
        agentId,
        firstSequence === null ? '–' : `${firstSequence}`,
        lastSequence === null ? '–' : `${lastSequence}`,
        `${count}`,
        gone.length === 0 ? 'none' : gone.join(', '),
        `${whole} of ${windows.length}`,
      ];
      return element('tr', {}, ...cells.map((cell) => element('td', {}, oneLine(cell))));
    });
  const names = ['Agent', 'First', 'Last', 'Events', 'Missing', 'Closed windows wholly here'];
  const head = element('tr', {}, ...names.map((name) => element('th', { scope: 'col' }, name)));
  const caption = element('caption', {}, 'Every event of an agent has a number, from 1 without a gap.');
  const table = element('table', {}, caption, element('thead', {}, head), element('tbody', {}, ...rows));
  const scroll = element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Sequences' }, table);
  const left = agents.length - rows.length;
  const more = left > 0 ? [element('p', {}, `and ${left} more agents`)] : [];
  return element('section', {}, element('h3', {}, 'Sequences'), scroll, ...more);
}

import { element, oneLine } from './elements.js';
import type { Recomputed } from './recompute.js';

const TITLES: Readonly<Record<Recomputed['result'], readonly [string, string]>> = {
  same: ['holds', 'Every verdict follows from the policy, and every balance from the checks before it.'],
  partly: ['partly', 'Not every verdict could be confirmed from this file: see why below.'],
  differs: ['refused', 'Something that is recorded does not follow from the policy, or from the checks before it.'],
};
const VERDICTS = {
  same: 'same',
  different: 'different',
  withheld: 'withheld',
  erased: 'erased',
  not_checked: 'not checked',
} as const;
const BALANCES = { continuous: 'continuous', broken: 'broken', not_checked: 'not checked' } as const;

/** The verdicts that this browser computed again: in sum, then by agent and by check. */
export function showRedecision(redecision: Recomputed): HTMLElement {
  const { result, summary, agents, events, eventCount } = redecision;
  const [kind, words] = TITLES[result];
  const lines = summary.map((line) => element('p', {}, oneLine(line)));
  const box = element('div', { class: `verdict ${kind}`, id: 'redecision' }, element('p', {}, words), ...lines);
  const parts: HTMLElement[] = [element('h3', {}, 'Verdicts, computed again'), box];
  if (agents.length > 0) {
    const rows = agents.map(({ agentId, checks, balances, missing, breaks }) => [
      agentId,
      `${checks}`,
      BALANCES[balances],
      missing === 0 ? 'none' : `${missing}`,
      breaks.map(({ sequence, text }) => `check ${sequence}: ${text}`).join('; '),
    ]);
    parts.push(table('Balances from check to check', ['Agent', 'Checks', 'Balances', 'Missing', 'Broken at'], rows));
  }
  if (events.length > 0) {
    const rows = events.map(({ agentId, sequence, verdict, why }) => [agentId, `${sequence}`, VERDICTS[verdict], why]);
    parts.push(table('Verdict of each check', ['Agent', 'Number', 'Verdict', 'Why'], rows));
  }
  const left = eventCount - events.length;
  if (left > 0) parts.push(element('p', {}, `and ${left} more checks`));
  return element('section', {}, ...parts);
}

/** A table that scrolls on a small screen. @param rows cells of each row, in the order of the names */
export function table(title: string, names: readonly string[], rows: readonly (readonly string[])[]): HTMLElement {
  const head = element('tr', {}, ...names.map((name) => element('th', { scope: 'col' }, name)));
  const body = rows.map((cells) => element('tr', {}, ...cells.map((cell) => element('td', {}, oneLine(cell)))));
  const caption = element('caption', {}, title);
  const made = element('table', {}, caption, element('thead', {}, head), element('tbody', {}, ...body));
  return element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title }, made);
}

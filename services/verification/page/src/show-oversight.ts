import { element, oneLine } from './elements.js';
import type { ShownOversight } from './oversight.js';
import { table } from './show-redecision.js';

/** Human oversight: in sum, then by person and by rule. */
export function showOversight({ lines, people, rules }: ShownOversight): HTMLElement {
  const items = lines.map((line) => element('li', {}, oneLine(line)));
  const parts: HTMLElement[] = [
    element('h3', {}, 'Human oversight'),
    element('ul', { class: 'ok', id: 'oversight' }, ...items),
  ];
  if (people.length > 0) {
    parts.push(table('Decisions by person', ['Person', 'Role', 'Approved', 'Denied', 'Median'], people));
  }
  if (rules.length > 0) {
    parts.push(table('Decisions by rule', ['Rule', 'Agent', 'Approved', 'Denied', 'Not decided in time'], rules));
  }
  return element('section', {}, ...parts);
}

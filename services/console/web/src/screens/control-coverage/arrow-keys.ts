import type { KeyboardEvent } from 'react';

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
};

/** Moves the focus from a link in a table to the next one in the direction of an arrow key; cells without one are skipped. */
export function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key];
  const focused = document.activeElement;
  const cell = focused?.closest('td');
  if (step === undefined || !(focused instanceof HTMLAnchorElement) || !cell) return;
  event.preventDefault();
  const row = cell.parentElement as HTMLTableRowElement;
  const rows = [...row.parentElement!.children] as HTMLTableRowElement[];
  const links = [...cell.querySelectorAll('a')];
  const inCell = links[links.indexOf(focused) + step[1]];
  if (step[1] !== 0 && inCell !== undefined) return inCell.focus();
  let [y, x] = [rows.indexOf(row) + step[0], cell.cellIndex + step[1]];
  for (; rows[y]?.cells[x] !== undefined; [y, x] = [y + step[0], x + step[1]]) {
    const found = [...rows[y]!.cells[x]!.querySelectorAll('a')].at(step[1] < 0 ? -1 : 0);
    if (found !== undefined) return found.focus();
  }
}

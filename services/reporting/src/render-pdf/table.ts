import { PAGE, type Ink, type Sheet } from './sheet.js';
import { drawLines, LEADING, linesOf, spanOf, type Element, type Span } from './spans.js';

export interface Column {
  readonly title: string;
  /** Share of the width of the page. */
  readonly share: number;
}

const CELL: Ink = { face: 'sans', size: 7.5, colour: 'black' };
const HEAD: Ink = { face: 'bold', size: 7.5, colour: 'black' };
const STEP = CELL.size * LEADING;
const PAD = 4;
/** Minimum number of lines of a long row before a page break. */
const LEAST_LINES = 3;
/** Minimum room below the heading for a table to begin, points. */
export const LEAST_TABLE = 60;

/** Draws a table: its head is repeated on each page, a long row continues on the next. */
export function drawTable(
  sheet: Sheet,
  into: Element,
  columns: readonly Column[],
  rows: Iterable<readonly (Span | string)[]>,
): void {
  const { document } = sheet;
  const whole = columns.reduce((sum, { share }) => sum + share, 0);
  const widths = columns.map(({ share }) => (share / whole) * (PAGE.right - PAGE.left));
  const titles = columns.map(({ title }) => ({ text: title }));
  const table = document.struct('Table');
  into.add(table);
  const repeatHead = (): void => sheet.artifact(() => drawRow(sheet, null, titles, widths, HEAD, () => undefined));
  const heads = titles.map(() => document.struct('TH', { scope: 'Column' } as object));
  drawRow(sheet, heads, titles, widths, HEAD, () => undefined);
  table.add(document.struct('TR', {}, heads));
  for (const row of rows) {
    const cells = row.map(spanOf);
    const elements = cells.map(() => document.struct('TD'));
    drawRow(sheet, elements, cells, widths, CELL, repeatHead);
    table.add(document.struct('TR', {}, elements));
  }
  table.end();
  sheet.y += 9;
}

/** @param elements one per cell; `null` draws outside of the logical structure */
function drawRow(
  sheet: Sheet,
  elements: readonly Element[] | null,
  cells: readonly Span[],
  widths: readonly number[],
  base: Ink,
  repeatHead: () => void,
): void {
  const inks = cells.map(({ ink }) => ({ ...base, ...ink }));
  const lines = cells.map(({ text }, i) => linesOf(sheet, text, widths[i]! - 2 * PAD, inks[i]!));
  const longest = Math.max(...lines.map(({ length }) => length));
  const fitting = (): number => Math.floor((PAGE.bottom - sheet.y - 2 * PAD) / STEP);
  for (let from = 0; from < longest;) {
    if (fitting() < Math.min(longest - from, LEAST_LINES)) {
      sheet.nextPage();
      repeatHead();
    }
    const to = Math.min(longest, from + Math.max(fitting(), 1));
    let x: number = PAGE.left;
    cells.forEach((cell, i) => {
      const some = lines[i]!.slice(from, to);
      const position = { x: x + PAD, top: sheet.y + PAD / 2, step: STEP };
      if (some.length > 0) drawLines(sheet, elements?.[i] ?? null, cell, some, position, inks[i]!);
      x += widths[i]!;
    });
    sheet.y += (to - from) * STEP + PAD;
    drawRule(sheet, elements === null, base === HEAD ? 0.9 : 0.4);
    from = to;
  }
}

function drawRule(sheet: Sheet, insideArtifact: boolean, thickness: number): void {
  const rule = (): void => sheet.box(PAGE.left, sheet.y, PAGE.right - PAGE.left, thickness, 'rule');
  if (insideArtifact) rule();
  else sheet.artifact(rule);
  sheet.y += PAD / 2;
}

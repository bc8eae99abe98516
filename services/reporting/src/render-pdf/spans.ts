import { breakLines } from './line-breaks.js';
import type { Ink, Sheet } from './sheet.js';

export type Element = PDFKit.PDFStructureElement;

/** A text with one ink. */
export interface Span {
  readonly text: string;
  readonly ink?: Partial<Ink>;
  /** Target of a link. */
  readonly link?: string;
}

/** Line height in font sizes. */
export const LEADING = 1.36;

export function spanOf(text: Span | string): Span {
  return typeof text === 'string' ? { text } : text;
}

/** The lines of a text in a column of `width` points. */
export function linesOf(sheet: Sheet, text: string, width: number, { face, size }: Ink): string[] {
  const type = sheet.faces[face];
  return breakLines(text, width / size, (character) => type.advance(character));
}

/** Draws lines of one page from `top` down as content of `into`; a span with a link becomes one. */
export function drawLines(
  sheet: Sheet,
  into: Element | null,
  { link }: Span,
  lines: readonly string[],
  { x, top, step }: { readonly x: number; readonly top: number; readonly step: number },
  ink: Ink,
): void {
  const drawn: Ink = link === undefined ? ink : { ...ink, colour: 'blue' };
  const draw = (): void => lines.forEach((line, i) => sheet.text(x, top + i * step + ink.size, line, drawn));
  if (into === null) {
    draw();
    return;
  }
  if (link === undefined) {
    into.add(sheet.content('Span', draw));
    return;
  }
  // One element per page for the lines, so that its annotation refers to the right one.
  const element = sheet.document.struct('Link');
  into.add(element);
  element.add(sheet.content('Link', draw));
  lines.forEach((line, i) => {
    const width = sheet.faces[ink.face].width(line) * ink.size;
    const options = { structParent: element, Contents: new String(link) } as object;
    sheet.document.link(x, top + i * step, width, step, link, options);
  });
  element.end();
}

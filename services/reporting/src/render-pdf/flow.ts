import { PAGE, type Ink, type Sheet } from './sheet.js';
import { drawLines, LEADING, linesOf, spanOf, type Element, type Span } from './spans.js';
import { drawTable, LEAST_TABLE, type Column } from './table.js';

const BODY: Ink = { face: 'sans', size: 9, colour: 'black' };
const TITLES: readonly Ink[] = [
  { face: 'bold', size: 20, colour: 'black' },
  { face: 'bold', size: 14, colour: 'black' },
  { face: 'bold', size: 10.5, colour: 'black' },
];

/** Draws content in reading order, page after page, with its logical structure and outline. */
export class Flow {
  readonly sheet: Sheet;
  readonly #root: Element;
  #section: Element;
  #outline: PDFKit.PDFOutline | null = null;

  constructor(sheet: Sheet) {
    this.sheet = sheet;
    this.#root = sheet.document.struct('Document');
    sheet.document.addStructure(this.#root);
    this.#section = sheet.document.struct('Sect');
    this.#root.add(this.#section);
    sheet.nextPage();
  }

  /** Ends the document; nothing can be drawn afterwards. */
  end(): void {
    this.#section.end();
    this.#root.end();
    this.sheet.end();
  }

  /** Level 1 is the document's, 2 begins a section, on a new page if `fresh`, 3 is a subsection. */
  heading(level: 1 | 2 | 3, text: string, fresh = false): void {
    const { sheet } = this;
    const ink = TITLES[level - 1]!;
    if (fresh && sheet.y > PAGE.top) sheet.nextPage();
    if (sheet.y > PAGE.top) sheet.y += ink.size;
    this.#room(ink.size * LEADING + LEAST_TABLE);
    if (level === 2) this.#beginSection();
    // pdfkit counts `left` from the right edge.
    const options = { left: PAGE.width, top: sheet.y - 4 } as object;
    if (level === 3 && this.#outline !== null) this.#outline.addItem(text, options);
    else this.#outline = sheet.document.outline.addItem(text, options);
    const element = this.#element(`H${level}`);
    this.#lines(element, { text }, ink);
    element.end();
    sheet.y += ink.size * 0.35;
  }

  paragraph(text: Span | string, ink: Partial<Ink> = {}): void {
    const element = this.#element('P');
    this.#lines(element, spanOf(text), { ...BODY, ...ink });
    element.end();
    this.sheet.y += 5;
  }

  /** Numbered paragraphs. */
  numbered(texts: readonly string[]): void {
    const list = this.#element('L');
    texts.forEach((text, i) => {
      const body = this.sheet.document.struct('LBody');
      this.#lines(body, { text: `${i + 1}.  ${text}` }, BODY);
      list.add(this.sheet.document.struct('LI', {}, [body]));
      this.sheet.y += 3;
    });
    list.end();
    this.sheet.y += 4;
  }

  /** Lines that form one paragraph, each wrapped as needed: kept on one page if they fit on one. */
  block(spans: readonly Span[]): void {
    const ink = { ...BODY, size: 8 };
    const height = spans.reduce((sum, span) => sum + this.#heightOf(span, ink), 0);
    this.#room(height > PAGE.bottom - PAGE.top ? LEAST_TABLE : height);
    const element = this.#element('P');
    for (const span of spans) this.#lines(element, span, ink);
    element.end();
    this.sheet.y += 7;
  }

  /** A list of single lines in the monospaced font, with a head that is repeated on every page. */
  listing(head: string, lines: Iterable<string>, size: number): void {
    const { sheet } = this;
    const step = size * 1.45;
    const drawHead = (): void => {
      sheet.artifact(() => {
        sheet.text(PAGE.left, sheet.y + size, head, { face: 'mono', size, colour: 'grey' });
        sheet.box(PAGE.left, sheet.y + step, PAGE.right - PAGE.left, 0.5, 'rule');
      });
      sheet.y += step + 2;
    };
    const list = this.#element('L');
    this.#room(3 * step);
    drawHead();
    for (const line of lines) {
      if (sheet.y + step > PAGE.bottom) {
        sheet.nextPage();
        drawHead();
      }
      const ink: Ink = { face: 'mono', size, colour: 'black' };
      const content = sheet.content('Span', () => sheet.text(PAGE.left, sheet.y + size, line, ink));
      list.add(sheet.document.struct('LI', {}, [sheet.document.struct('LBody', {}, [content])]));
      sheet.y += step;
    }
    list.end();
    sheet.y += 6;
  }

  table(columns: readonly Column[], rows: Iterable<readonly (Span | string)[]>): void {
    this.#room(LEAST_TABLE);
    drawTable(this.sheet, this.#section, columns, rows);
  }

  /** A square figure at the right margin, next to the following text. */
  figure(side: number, alternative: string, draw: (x: number, y: number) => void): void {
    const { sheet } = this;
    this.#room(side + 20);
    const x = PAGE.right - side;
    const options = { alt: alternative, bbox: [x, sheet.y, x + side, sheet.y + side] } as object;
    const figure = sheet.document.struct('Figure', options);
    this.#section.add(figure);
    figure.add(sheet.content('Figure', () => draw(x, sheet.y)));
    figure.end();
  }

  #lines(element: Element, span: Span, base: Ink): void {
    const { sheet } = this;
    const ink = { ...base, ...span.ink };
    const step = ink.size * LEADING;
    const lines = linesOf(sheet, span.text, PAGE.right - PAGE.left, ink);
    for (let from = 0; from < lines.length;) {
      this.#room(step);
      const some = lines.slice(from, from + Math.max(1, Math.floor((PAGE.bottom - sheet.y) / step)));
      drawLines(sheet, element, span, some, { x: PAGE.left, top: sheet.y, step }, ink);
      sheet.y += some.length * step;
      from += some.length;
    }
  }

  #heightOf({ text, ink }: Span, base: Ink): number {
    const inked = { ...base, ...ink };
    return linesOf(this.sheet, text, PAGE.right - PAGE.left, inked).length * inked.size * LEADING;
  }

  #room(height: number): void {
    if (this.sheet.y + height > PAGE.bottom) this.sheet.nextPage();
  }

  #element(type: 'H1' | 'H2' | 'H3' | 'P' | 'L'): Element {
    const element = this.sheet.document.struct(type);
    this.#section.add(element);
    return element;
  }

  #beginSection(): void {
    this.#section.end();
    this.#section = this.sheet.document.struct('Sect');
    this.#root.add(this.#section);
  }
}

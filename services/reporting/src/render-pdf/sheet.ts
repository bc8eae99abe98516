import PDFDocument from 'pdfkit';
import { FACES, fontFile, Typeface, type FaceName } from './typeface.js';
import { visibleText } from './visible-text.js';

export type Document = InstanceType<typeof PDFDocument>;

/** A4 in points, with its margins. */
export const PAGE = { width: 595.28, height: 841.89, left: 48, right: 547.28, top: 54, bottom: 786 } as const;

export type Colour = 'black' | 'grey' | 'red' | 'blue' | 'green' | 'rule';
const COLOURS: Readonly<Record<Colour, string>> = {
  black: '0.09 0.11 0.15',
  grey: '0.36 0.39 0.44',
  red: '0.66 0.09 0.09',
  blue: '0.05 0.26 0.55',
  green: '0.06 0.38 0.22',
  rule: '0.78 0.80 0.83',
};

export interface Ink {
  readonly face: FaceName;
  readonly size: number;
  readonly colour: Colour;
}

interface PageOfKit {
  readonly fonts: Record<string, PDFKit.PDFKitReference>;
  readonly xobjects: Record<string, PDFKit.PDFKitReference>;
}

const number = (value: number): string => value.toFixed(2);

/** A4 pages, filled one after another; `y` counts from the top. Every page gets the footer with its number. */
export class Sheet {
  readonly document: Document;
  readonly faces: Readonly<Record<FaceName, Typeface>>;
  y: number = PAGE.top;
  readonly #footer: string;
  readonly #total: PDFKit.PDFKitReference;
  #pages = 0;

  /** @param issuedAt the only time in the file's metadata */
  constructor(title: string, issuedAt: Date, footer: string) {
    this.document = new PDFDocument({
      autoFirstPage: false,
      size: 'A4',
      margin: 0,
      pdfVersion: '1.7',
      subset: 'PDF/A-3a',
      tagged: true,
      lang: 'en-GB',
      displayTitle: true,
      font: fontFile('sans'),
      info: { Title: title, Creator: 'countersign', Producer: 'countersign', CreationDate: issuedAt },
    });
    this.faces = Object.fromEntries(FACES.map((name) => [name, new Typeface(this.document, name)])) as Record<
      FaceName,
      Typeface
    >;
    this.#footer = footer;
    this.#total = this.document.ref({ Type: 'XObject', Subtype: 'Form', BBox: [0, -4, 60, 12] });
  }

  /** A customer's text, prepared for drawing. */
  shown(text: string, limit: number): string {
    const { sans, bold, mono } = this.faces;
    return visibleText(text, limit, (code) => sans.has(code) && bold.has(code) && mono.has(code));
  }

  nextPage(): void {
    this.document.addPage();
    this.#pages += 1;
    this.y = PAGE.top;
    const page = this.document.page as unknown as PageOfKit;
    for (const name of FACES) page.fonts[this.faces[name].id] = this.faces[name].ref();
    page.xobjects['Total'] = this.#total;
    this.artifact(() => this.#drawFooter());
  }

  /** Ends the last page and the file; afterwards the document can only be read. */
  end(): void {
    const { sans } = this.faces;
    Object.assign(this.#total.data, { Resources: { Font: { [sans.id]: sans.ref() } } });
    this.#total.end(Buffer.from(`${COLOURS.grey} rg BT /${sans.id} 7 Tf <${sans.hex(`${this.#pages}`)}> Tj ET`));
    this.document.end();
  }

  /** Draws content of the logical structure, and returns it to be added there. */
  content(tag: string, draw: () => void): PDFKit.PDFStructureContent {
    const content = this.document.markStructureContent(tag);
    draw();
    this.document.endMarkedContent();
    return content;
  }

  /** Draws content outside of the logical structure: rules, footers, repeated heads. */
  artifact(draw: () => void): void {
    this.document.markContent('Artifact', { type: 'Pagination' });
    draw();
    this.document.endMarkedContent();
  }

  /** One line; `y` is the baseline. */
  text(x: number, y: number, text: string, { face, size, colour }: Ink): void {
    const { id } = this.faces[face];
    const hex = this.faces[face].hex(text);
    this.document.addContent(
      `${COLOURS[colour]} rg BT /${id} ${size} Tf 1 0 0 -1 ${number(x)} ${number(y)} Tm <${hex}> Tj ET`,
    );
  }

  box(x: number, y: number, width: number, height: number, colour: Colour): void {
    this.document.addContent(`${COLOURS[colour]} rg ${number(x)} ${number(y)} ${number(width)} ${number(height)} re f`);
  }

  /** Draws squares of one size as one figure. */
  squares(corners: readonly (readonly [number, number])[], side: number): void {
    const path = corners.map(([x, y]) => `${number(x)} ${number(y)} ${number(side)} ${number(side)} re`);
    this.document.addContent(`0 0 0 rg ${path.join(' ')} f`);
  }

  #drawFooter(): void {
    const ink: Ink = { face: 'sans', size: 7, colour: 'grey' };
    const y = PAGE.bottom + 24;
    this.box(PAGE.left, PAGE.bottom + 10, PAGE.right - PAGE.left, 0.5, 'rule');
    this.text(PAGE.left, y, this.#footer, ink);
    const page = `Page ${this.#pages} of `;
    this.text(PAGE.right - 20 - this.faces.sans.width(page) * ink.size, y, page, ink);
    this.document.addContent(`q 1 0 0 -1 ${number(PAGE.right - 20)} ${number(y)} cm /Total Do Q`);
  }
}

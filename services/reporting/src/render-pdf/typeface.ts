import { createRequire } from 'node:module';
import type PDFDocument from 'pdfkit';

/** pdfkit's record of an embedded font. */
interface EmbeddedFace {
  readonly id: string;
  readonly font: { hasGlyphForCodePoint(codePoint: number): boolean };
  ref(): PDFKit.PDFKitReference;
  /** Glyph numbers of the subset in hex, and their widths in thousandths of the size. */
  encode(text: string): [readonly string[], readonly { readonly advanceWidth: number }[]];
}

export const FACES = ['sans', 'bold', 'mono'] as const;
export type FaceName = (typeof FACES)[number];

const FILES = { sans: 'DejaVuSans.ttf', bold: 'DejaVuSans-Bold.ttf', mono: 'DejaVuSansMono.ttf' } as const;

/** The file of an embedded font (DejaVu 2.37, free to embed). */
export function fontFile(name: FaceName): string {
  return createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${FILES[name]}`);
}

interface Glyph {
  readonly hex: string;
  readonly advance: number;
}

/**
 * A font of the document, one glyph per character: each character is shaped once, however often it is drawn. The
 * document draws only scripts without joining.
 */
export class Typeface {
  readonly #face: EmbeddedFace;
  readonly #glyphs = new Map<string, Glyph>();

  constructor(document: InstanceType<typeof PDFDocument>, name: FaceName) {
    document.font(fontFile(name));
    this.#face = (document as unknown as { readonly _font: EmbeddedFace })._font;
  }

  /** Name of the font in content streams. */
  get id(): string {
    return this.#face.id;
  }

  ref(): PDFKit.PDFKitReference {
    return this.#face.ref();
  }

  has(codePoint: number): boolean {
    return this.#face.font.hasGlyphForCodePoint(codePoint);
  }

  /** Width of a character at size 1. */
  advance(character: string): number {
    return this.#glyph(character).advance;
  }

  /** Width of a text at size 1. */
  width(text: string): number {
    let width = 0;
    for (const character of text) width += this.#glyph(character).advance;
    return width;
  }

  /** The text as glyph numbers, hex. */
  hex(text: string): string {
    let hex = '';
    for (const character of text) hex += this.#glyph(character).hex;
    return hex;
  }

  #glyph(character: string): Glyph {
    const known = this.#glyphs.get(character);
    if (known !== undefined) return known;
    const [glyphs, positions] = this.#face.encode(character);
    const advance = positions.reduce((sum, { advanceWidth }) => sum + advanceWidth, 0) / 1000;
    const glyph = { hex: glyphs.join(''), advance };
    this.#glyphs.set(character, glyph);
    return glyph;
  }
}

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** The scripts of the page, each an ES module of its own, written by `page/bundle.mjs`. */
const SCRIPTS = [
  'ask',
  'ask-chain',
  'chain-facts',
  'elements',
  'expected',
  'find-keys',
  'judge',
  'judge-package',
  'judge-pages',
  'judge-series',
  'outcome',
  'oversight',
  'page',
  'read-file',
  'recompute',
  'show-outcome',
  'show-oversight',
  'show-redecision',
  'solana-transaction',
  'worker',
];

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const at = (path: string): URL => new URL(`../../page/${path}`, import.meta.url);
/** Files that the builds of these libraries write: each the whole library, for a browser. */
const builtBy = (name: string) => (): string => createRequire(import.meta.url).resolve(name);

interface Place {
  readonly contentType: string;
  readonly file: () => URL | string;
}

const PLACES: ReadonlyMap<string, Place> = new Map([
  ['', { contentType: 'text/html; charset=utf-8', file: () => at('index.html') }],
  ['style.css', { contentType: 'text/css; charset=utf-8', file: () => at('style.css') }],
  ['icon.svg', { contentType: 'image/svg+xml', file: () => at('icon.svg') }],
  ['evidence.js', { contentType: JAVASCRIPT, file: builtBy('@countersign/evidence/browser') }],
  ['redecide.js', { contentType: JAVASCRIPT, file: builtBy('@countersign/redecide/browser') }],
  ['sql-parser.js', { contentType: JAVASCRIPT, file: builtBy('@countersign/rules/sql-parser') }],
  ['libpg-query.wasm', { contentType: 'application/wasm', file: builtBy('@countersign/rules/libpg-query.wasm') }],
  ...SCRIPTS.map((name): [string, Place] => [
    `${name}.js`,
    { contentType: JAVASCRIPT, file: () => at(`dist/scripts/${name}.js`) },
  ]),
]);

export interface PageFile {
  readonly contentType: string;
  readonly content: Uint8Array;
  /** In quotes: the same exactly for the same bytes. */
  readonly etag: string;
}

/** Files of the verification page, each read once. */
export class PageFiles {
  readonly #read = new Map<string, PageFile>();

  /**
   * @param name empty for the page itself
   * @returns `null` where the page has no such file
   * @throws when the build did not write it
   */
  async get(name: string): Promise<PageFile | null> {
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const place = PLACES.get(name);
    if (place === undefined) return null;
    const content = await readFile(place.file());
    const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;
    const file = { contentType: place.contentType, content, etag };
    this.#read.set(name, file);
    return file;
  }

  /** Names of all files beside the page itself. */
  get names(): readonly string[] {
    return [...PLACES.keys()].filter((name) => name !== '');
  }
}

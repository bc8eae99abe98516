import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { servedFile } from '../files/served-file.js';
import type { ServedFile } from '../files/served-file.js';

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

const own = (name: string) => (): URL => new URL(`../../api-docs/${name}`, import.meta.url);
const ofRenderer = (name: string) => (): string => createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);

interface Place {
  readonly contentType: string;
  readonly file: () => URL | string;
}

const PLACES: ReadonlyMap<string, Place> = new Map([
  ['swagger-ui-bundle.js', { contentType: JAVASCRIPT, file: ofRenderer('swagger-ui-bundle.js') }],
  ['swagger-ui.css', { contentType: CSS, file: ofRenderer('swagger-ui.css') }],
  ['page.js', { contentType: JAVASCRIPT, file: own('page.js') }],
  ['page.css', { contentType: CSS, file: own('page.css') }],
  ['icon.svg', { contentType: 'image/svg+xml', file: own('icon.svg') }],
]);

export interface DocsFile extends ServedFile {
  /** The file's name with a hash of its content; of the page, the requested name. */
  readonly hashedName: string;
}

/** The page that renders the OpenAPI document, and its files; each is read once, at the first request. */
export class DocsFiles {
  readonly #read = new Map<string, Promise<DocsFile>>();

  /** The page, which names each of its files with the hash of its content. */
  page(): Promise<DocsFile> {
    return this.#once('', async () => {
      let html = await readFile(own('index.html')(), 'utf8');
      for (const name of this.names) {
        const { hashedName } = await this.#file(name);
        html = html.replaceAll(`"docs/${name}"`, `"docs/${hashedName}"`);
      }
      return prepared('', 'text/html; charset=utf-8', Buffer.from(html));
    });
  }

  /**
   * @param name with or without its hash; a name with another hash does not exist
   * @returns `null` if the page has no such file
   */
  async file(name: string): Promise<DocsFile | null> {
    const plain = name.replace(/\.[0-9a-f]{16}(?=\.[a-z]+$)/, '');
    if (!PLACES.has(plain)) return null;
    const found = await this.#file(plain);
    return name === plain || name === found.hashedName ? found : null;
  }

  /** Names of all files except the page itself. */
  get names(): readonly string[] {
    return [...PLACES.keys()];
  }

  #file(name: string): Promise<DocsFile> {
    const { contentType, file } = PLACES.get(name)!;
    return this.#once(name, async () => prepared(name, contentType, await readFile(file())));
  }

  #once(name: string, read: () => Promise<DocsFile>): Promise<DocsFile> {
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const reading = read();
    this.#read.set(name, reading);
    reading.catch(() => this.#read.delete(name));
    return reading;
  }
}

function prepared(name: string, contentType: string, content: Buffer): DocsFile {
  const file = servedFile(contentType, content);
  return { ...file, hashedName: name.replace(/(?=\.[a-z]+$)/, `.${file.sha256.slice(0, 16)}`) };
}

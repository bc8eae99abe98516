import { readFile } from 'node:fs/promises';
import { servedFile } from '@countersign/http-edge';
import type { ServedFile } from '@countersign/http-edge';

/** Written by `web/bundle.mjs`. */
const SITE = new URL('../web/dist/site/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
};

const PAGE = 'index.html';

/** A name of one segment: `console.7QX2ABCD.js`, `icon.svg`, or `runbook-anchors-late.txt`. */
const FILE_NAME = /^[a-z][a-z-]*(?:\.[0-9A-Z]{8})?\.(js|css|svg|txt)$/;

/** In the page, which asks for the state of the installation where it is on. */
const OPERATIONS = {
  on: '<meta name="countersign-operations" content="on" />',
  off: '<meta name="countersign-operations" content="off" />',
};

/** The page of the console and its files, each read at its first request. */
export class ConsoleFiles {
  readonly #read = new Map<string, Promise<ServedFile | null>>();

  /** @param showsOperations `false` is written into the page, which then does not ask for what would be 404 */
  constructor(
    private readonly folder: URL = SITE,
    private readonly showsOperations = true,
  ) {}

  /** @throws if the build did not write it */
  async page(): Promise<ServedFile> {
    const page = await this.#once(PAGE, 'html');
    if (page === null) throw new Error('the console is not built: npm run build');
    return page;
  }

  /** @returns `null` if the page has no such file */
  async file(name: string): Promise<ServedFile | null> {
    const extension = FILE_NAME.exec(name)?.[1];
    return extension === undefined ? null : this.#once(name, extension);
  }

  #once(name: string, extension: string): Promise<ServedFile | null> {
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const reading = this.#from(name, TYPES[extension]!);
    this.#read.set(name, reading);
    // A name that has no file is not kept: names are the caller's choice.
    const forget = (): void => void this.#read.delete(name);
    reading.then((file) => (file === null ? forget() : undefined), forget);
    return reading;
  }

  async #from(name: string, contentType: string): Promise<ServedFile | null> {
    try {
      const content = await readFile(new URL(name, this.folder));
      if (name !== PAGE || this.showsOperations) return servedFile(contentType, content);
      return servedFile(contentType, Buffer.from(content.toString('utf8').replace(OPERATIONS.on, OPERATIONS.off)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }
}

/** True if the name holds a hash of the content. */
export function isHashed(name: string): boolean {
  return /\.[0-9A-Z]{8}\.[a-z]+$/.test(name);
}

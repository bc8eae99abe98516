import { readFile, rename, writeFile } from 'node:fs/promises';
import { isObject } from './message.js';
import { errorMessage } from './tool-guard.js';

/** Of a server that lists more, the first ones are kept. */
const MOST_TOOLS = 1000;

/** Writes the input schemas of the tools that servers list into a file, for `policy lint --tools`. */
export class SeenTools {
  readonly #tools = new Map<string, unknown>();
  #work: Promise<void> | null = null;
  #isRead = false;
  #isChanged = false;

  /**
   * @param file JSON as `tools/list` answers: `{"tools":[{"name","inputSchema"}]}`; other tools in it stay
   * @param note logs a line for the operator of the proxy
   */
  constructor(
    private readonly file: string,
    private readonly note: (line: string) => void,
  ) {}

  /** Adds the tools in the result of a `tools/list`; a tool of the same name is replaced. */
  add(result: unknown): void {
    const listed = isObject(result) && Array.isArray(result['tools']) ? (result['tools'] as readonly unknown[]) : [];
    for (const tool of listed) {
      if (!isObject(tool) || typeof tool['name'] !== 'string' || !isObject(tool['inputSchema'])) continue;
      if (this.#tools.size >= MOST_TOOLS && !this.#tools.has(tool['name'])) break;
      this.#tools.set(tool['name'], tool['inputSchema']);
      this.#isChanged = true;
    }
    this.#work ??= this.#write().finally(() => (this.#work = null));
  }

  /** Waits until the file holds what was added. */
  async written(): Promise<void> {
    await this.#work;
  }

  async #write(): Promise<void> {
    while (this.#isChanged) {
      this.#isChanged = false;
      try {
        if (!this.#isRead) await this.#read();
        const tools = [...this.#tools].map(([name, inputSchema]) => ({ name, inputSchema }));
        const draft = `${this.file}.${process.pid}.tmp`;
        await writeFile(draft, `${JSON.stringify({ tools }, null, 2)}\n`);
        await rename(draft, this.file);
      } catch (error) {
        this.note(`the schemas of tools are not written to ${this.file}: ${errorMessage(error)}`);
      }
    }
  }

  /** Earlier tools of the file. A file that is something else is not overwritten. */
  async #read(): Promise<void> {
    const text = await readFile(this.file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{"tools":[]}';
      throw error;
    });
    const held: unknown = JSON.parse(text);
    const before = isObject(held) ? held['tools'] : null;
    if (!Array.isArray(before)) throw new Error('the file holds something else');
    for (const tool of before as readonly unknown[]) {
      if (isObject(tool) && typeof tool['name'] === 'string' && !this.#tools.has(tool['name']))
        this.#tools.set(tool['name'], tool['inputSchema']);
    }
    this.#isRead = true;
  }
}

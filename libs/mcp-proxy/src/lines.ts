import { StringDecoder } from 'node:string_decoder';

/** Longest line, bytes: no message is as long. */
export const LONGEST_LINE = 64 * 1024 * 1024;

/** A line exceeds the longest message. */
export class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError';
}

/** Splits a stream of bytes into lines; an unterminated rest is ignored. */
export class Lines {
  readonly #decoder = new StringDecoder('utf8');
  #parts: string[] = [];
  #length = 0;

  constructor(private readonly longest = LONGEST_LINE) {}

  /** Lines that this chunk completes, without line ends and empty lines. @throws LineTooLongError */
  add(chunk: Buffer): string[] {
    const [first = '', ...more] = this.#decoder.write(chunk).split('\n');
    const lines: string[] = [];
    this.#grow(first);
    for (const part of more) {
      lines.push(this.#parts.join(''));
      this.#parts = [];
      this.#length = 0;
      this.#grow(part);
    }
    return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)).filter((line) => line.trim() !== '');
  }

  #grow(part: string): void {
    this.#length += part.length;
    if (this.#length > this.longest) throw new LineTooLongError(`a line is longer than ${this.longest} characters`);
    this.#parts.push(part);
  }
}

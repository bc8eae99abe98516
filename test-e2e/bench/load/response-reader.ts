const CR = 0x0d;
const LF = 0x0a;
const ZERO = 0x30;
const LONGEST_HEAD = 16 * 1024;
const LENGTH = Buffer.from('\ncontent-length:', 'latin1');

/** An answer that this reader does not support. */
class UnreadableResponse extends Error {
  override readonly name = 'UnreadableResponse';
}

/** Reads the answers of one HTTP/1.1 connection that all have a `content-length`; keeps only the status. */
export class ResponseReader {
  readonly #answered: (status: number) => void;
  /** Bytes of an incomplete head. */
  #begun: Buffer | null = null;
  #bodyLeft = 0;
  #status = 0;

  constructor(answered: (status: number) => void) {
    this.#answered = answered;
  }

  /** @throws UnreadableResponse */
  take(chunk: Uint8Array): void {
    const bytes = this.#begun === null ? chunk : Buffer.concat([this.#begun, chunk]);
    this.#begun = null;
    let at = 0;
    while (at < bytes.length) {
      if (this.#bodyLeft === 0) {
        const head = endOfHead(bytes, at);
        if (head < 0) {
          if (bytes.length - at > LONGEST_HEAD) throw new UnreadableResponse('the head of an answer does not end');
          this.#begun = Buffer.from(bytes.subarray(at));
          return;
        }
        this.#status = statusOf(bytes, at);
        this.#bodyLeft = contentLength(bytes, at, head);
        at = head;
      }
      const taken = Math.min(this.#bodyLeft, bytes.length - at);
      at += taken;
      this.#bodyLeft -= taken;
      if (this.#bodyLeft === 0) this.#answered(this.#status);
    }
  }
}

/** Index after the empty line, or -1. */
function endOfHead(bytes: Uint8Array, from: number): number {
  for (let i = from + 3; i < bytes.length; i += 1) {
    if (bytes[i] === LF && bytes[i - 1] === CR && bytes[i - 2] === LF && bytes[i - 3] === CR) return i + 1;
  }
  return -1;
}

/** The three digits after `HTTP/1.1 `. */
function statusOf(bytes: Uint8Array, at: number): number {
  const status = (bytes[at + 9]! - ZERO) * 100 + (bytes[at + 10]! - ZERO) * 10 + (bytes[at + 11]! - ZERO);
  if (bytes[at] !== 0x48 || !(status >= 100 && status <= 599)) throw new UnreadableResponse('no status line');
  return status;
}

function contentLength(bytes: Uint8Array, from: number, until: number): number {
  for (let i = from; i < until; i += 1) {
    if (bytes[i] !== LF || !isLength(bytes, i)) continue;
    let value = 0;
    for (let at = i + LENGTH.length; at < until && bytes[at] !== CR; at += 1) {
      if (bytes[at] !== 0x20) value = value * 10 + (bytes[at]! - ZERO);
    }
    return value;
  }
  throw new UnreadableResponse('an answer without content-length');
}

function isLength(bytes: Uint8Array, at: number): boolean {
  for (let i = 1; i < LENGTH.length; i += 1) {
    const byte = bytes[at + i]!;
    const lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
    if (lower !== LENGTH[i]) return false;
  }
  return true;
}

import { JsonRefused, parseJsonStrict, VERIFICATION_LIMITS } from '@countersign/evidence';
import { openInclusion, type InclusionRequest, type OpenedInclusion } from '../verify-inclusion/verify-inclusion.js';
import { evidenceCrypto } from './evidence-crypto.js';
import { memoryNeeded } from './memory-needed.js';
import type { Order, Reply } from './messages.js';

/**
 * A process that reads and verifies one body after another. A body may take more memory than a thread can be given safely: a
 * thread that runs out of memory inside the JSON parser ends the whole process.
 * @see {@link VerifyingProcess}, which starts it; its argument is the memory, in bytes, that a body may need.
 */
const most = Number(process.argv[2]);

let request: InclusionRequest | null = null;
let opened: OpenedInclusion | null = null;

function reply(message: Reply): void {
  process.send?.(message);
}

function read(bytes: Uint8Array): void {
  if (memoryNeeded(bytes) > most) {
    reply({ kind: 'too-much-memory' });
    return;
  }
  try {
    const body = parseJsonStrict(bytes, VERIFICATION_LIMITS);
    request = body as InclusionRequest;
    reply({ kind: 'read', outline: outlineOf(body) });
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    reply({ kind: 'unreadable', why: error.message });
  }
}

const MEMBERS = ['package', 'report', 'event', 'proof'] as const;

function outlineOf(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return plain(body);
  const named = MEMBERS.filter((name) => Object.hasOwn(body, name));
  return Object.fromEntries(named.map((name) => [name, plain((body as Record<string, unknown>)[name])]));
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (typeof value === 'string') return '';
  return typeof value === 'object' && value !== null ? {} : value;
}

function answer(value: unknown): void {
  const bytes = Buffer.from(JSON.stringify(value), 'utf8');
  reply({ kind: 'answer', bytes: bytes.length });
  process.stdout.write(bytes);
}

/** The next `size` bytes of standard input. */
function receive(size: number, done: (bytes: Uint8Array) => void): void {
  const bytes = new Uint8Array(size);
  let at = 0;
  const take = (chunk: Uint8Array): void => {
    bytes.set(chunk, at);
    at += chunk.length;
    if (at < size) return;
    process.stdin.off('data', take).pause();
    done(bytes);
  };
  process.stdin.on('data', take).resume();
}

function forget(): void {
  request = null;
  opened = null;
}

function obey(order: Order): void {
  switch (order.kind) {
    case 'read':
      receive(order.bytes, read);
      return;
    case 'open':
      opened = openInclusion(request!, { crypto: evidenceCrypto, keys: order.keys });
      reply({ kind: 'opened', asks: opened.asks });
      return;
    case 'finish':
      answer(opened!.finish(order.chain));
      forget();
      return;
    case 'drop':
      forget();
  }
}

process.on('message', (order) => obey(order as Order));
process.on('disconnect', () => process.exit(0));
// Signals to the process group are for the parent, which ends this process after its last answer.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

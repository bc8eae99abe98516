import type { StoredEvent } from '../domain/event-record.js';
import type { Cursor, KeysetPage } from '../store/port.js';
import { ACCOUNT, envelope } from '../testing/envelopes.js';
import { exportStream, type ExportForm } from './export-stream.js';

const form: ExportForm = {
  contentType: 'text/plain',
  fileName: 'events.txt',
  head: 'head;',
  write: (events) => events.map(({ sequence }) => `${sequence};`).join(''),
};

/** Events numbered from `count` down to 1, two at a time. */
class Events {
  readonly asked: (Cursor | null)[] = [];
  constructor(
    readonly count: number,
    readonly failsAt = -1,
  ) {}

  async pageAfter(_accountId: string, _filter: object, after: Cursor | null): Promise<KeysetPage> {
    this.asked.push(after);
    const first = after === null ? this.count : after[0]!;
    if (first === this.failsAt) throw new Error('the store is gone');
    const numbers = [first, first - 1].filter((n) => n > 0);
    const events = numbers.map((sequence) => ({ ...envelope(1), sequence }) as unknown as StoredEvent);
    return { events, next: first > 2 ? [first - 2] : null };
  }
}

async function read(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

describe('the stream of an export', () => {
  it('has everything once, in order, behind its head', async () => {
    expect(await read(exportStream(new Events(5), ACCOUNT, {}, form))).toBe('head;5;4;3;2;1;');
    expect(await read(exportStream(new Events(0), ACCOUNT, {}, form))).toBe('head;');
    expect(await read(exportStream(new Events(0), ACCOUNT, {}, { ...form, head: '' }))).toBe('');
  });

  it('reads no further than it is asked for, and not at all once its reader left', async () => {
    const events = new Events(1000);
    for await (const piece of exportStream(events, ACCOUNT, {}, form)) if (piece.startsWith('998')) break;
    expect(events.asked).toEqual([null, [998]]);
  });

  it('fails where the store fails: before its first piece, or in the middle', async () => {
    await expect(exportStream(new Events(6, 6), ACCOUNT, {}, form).next()).rejects.toThrow('the store is gone');
    const stream = exportStream(new Events(6, 4), ACCOUNT, {}, form);
    expect(await stream.next()).toEqual({ done: false, value: 'head;' });
    expect(await stream.next()).toEqual({ done: false, value: '6;5;' });
    await expect(stream.next()).rejects.toThrow('the store is gone');
  });
});

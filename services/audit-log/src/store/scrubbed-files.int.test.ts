import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventEnvelope } from '@countersign/contracts';
import { openDatabase } from '@countersign/document-store';
import { envelope, eventId, other } from '../testing/envelopes.js';
import { MIGRATIONS } from './schema.js';
import { SqliteEventStore } from './sqlite.js';

const MARKER = 'zanzibar-4711';

describe('the files of the archive', () => {
  let directory: string;
  let store: SqliteEventStore;
  let next: number;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'scrubbed-'));
    store = new SqliteEventStore(join(directory, 'events.db'));
    next = 0;
  });
  afterEach(async () => {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const append = async (...envelopes: EventEnvelope[]): Promise<void> => {
    const events = envelopes.map((one, n) => ({ offset: next + n, envelope: one }));
    await store.append(events, { topic: 'agent-events', partition: 0, from: next, next: next + envelopes.length });
    next += envelopes.length;
  };
  const marked = (n: number, bytes = 10): EventEnvelope =>
    envelope(n, { openings: { action: { salt: 's', value: `${MARKER}${'x'.repeat(bytes)}${MARKER}` } } });
  const holding = (): string[] =>
    readdirSync(directory).filter((name) => readFileSync(join(directory, name)).includes(MARKER));

  it('hold nothing of what an order took, short or over many pages, when it is answered', async () => {
    await append(marked(1), envelope(2), marked(3, 100_000), envelope(4));
    expect(holding()).not.toEqual([]);
    await append(other(5, 'content.erased', { refersTo: eventId(1) }));
    expect(holding()).not.toEqual([]);
    await append(other(6, 'content.erased', { refersTo: eventId(3) }));
    expect(holding()).toEqual([]);
  });

  it('hold nothing of what retention took', async () => {
    for (let n = 1; n <= 40; n += 1) await append(marked(n, n * 100));
    await append(other(41, 'retention.applied', { refersTo: eventId(40) }));
    expect(holding()).toEqual([]);
    expect((await store.range(envelope(1).leaf.agentId, 1, 50, 50)).filter(({ erased }) => erased)).toHaveLength(40);
  });

  it('are scrubbed by the next batch where another process read them just then', async () => {
    await append(marked(1));
    const reader = openDatabase(join(directory, 'events.db'), MIGRATIONS);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM openings').get();
    await append(other(2, 'content.erased', { refersTo: eventId(1) }));
    expect(holding()).not.toEqual([]);
    reader.exec('COMMIT');
    reader.close();
    await append(envelope(3));
    expect(holding()).toEqual([]);
  });
});

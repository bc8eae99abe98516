import type { EventLog, NewRecord } from '@countersign/event-log';
import { createLogger } from '@countersign/process';
import { OutboxRelay } from './relay.js';
import type { OutboxRow, OutboxStore, RowId } from './relay.js';

class Rows implements OutboxStore {
  readonly rows: { id: number; record: NewRecord }[] = [];
  #next = 1;
  put(...keys: string[]): void {
    for (const key of keys) this.rows.push({ id: this.#next++, record: { topic: 'agents', key, value: '{}' } });
  }
  async pending(limit: number): Promise<readonly OutboxRow[]> {
    return this.rows.slice(0, limit);
  }
  async sent(ids: readonly RowId[]): Promise<void> {
    for (const id of ids)
      this.rows.splice(
        this.rows.findIndex((row) => row.id === id),
        1,
      );
  }
}

function relayWith(append: (records: readonly NewRecord[]) => Promise<unknown>): { rows: Rows; relay: OutboxRelay } {
  const rows = new Rows();
  const eventLog = { append } as unknown as EventLog;
  return { rows, relay: new OutboxRelay({ eventLog, log: createLogger('silent') }, rows) };
}

const keysOf = (records: readonly NewRecord[]): string[] => records.map(({ key }) => key);

describe('OutboxRelay', () => {
  it('sends rows in order and deletes them once they are durable', async () => {
    const sent: string[] = [];
    const { rows, relay } = relayWith(async (records) => sent.push(...keysOf(records)));
    rows.put('a', 'b');
    await relay.start();
    rows.put('c');
    await relay.flush();
    expect([sent, rows.rows]).toEqual([['a', 'b', 'c'], []]);
    await relay.stop();
  });

  it('covers with a flush the rows that were written before it, also while another one is running', async () => {
    const sent: string[] = [];
    const { rows, relay } = relayWith(async (records) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      sent.push(...keysOf(records));
    });
    const flushes: Promise<void>[] = [];
    for (let i = 0; i < 20; i += 1) {
      rows.put(`k${i}`);
      const key = `k${i}`;
      flushes.push(relay.flush().then(() => expect(sent).toContain(key)));
      if (i % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await Promise.all(flushes);
    expect(sent).toEqual([...new Set(sent)]);
    await relay.stop();
  });

  it('keeps rows that the log refuses, reports it, and sends them later', async () => {
    let refuses = true;
    const sent: string[] = [];
    const { rows, relay } = relayWith(async (records) => {
      if (refuses) throw new Error('the log is closed');
      sent.push(...keysOf(records));
    });
    rows.put('a');
    await expect(relay.flush()).rejects.toThrow('the log is closed');
    expect([relay.problem(), rows.rows.length]).toEqual(['changes wait for the event log: the log is closed', 1]);
    refuses = false;
    while (sent.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect([sent, relay.problem(), rows.rows]).toEqual([['a'], null, []]);
    await relay.stop();
  });
});

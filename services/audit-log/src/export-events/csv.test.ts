import fc from 'fast-check';
import type { JsonValue, LeafEvent } from '@countersign/contracts';
import type { StoredEvent } from '../domain/event-record.js';
import { denied, other, type envelope } from '../testing/envelopes.js';
import { CSV } from './csv.js';

const salt = 'AAAAAAAAAAAAAAAAAAAAAA';

function stored(of: ReturnType<typeof envelope>, action?: JsonValue, leaf: Partial<LeafEvent> = {}): StoredEvent {
  const openings = action === undefined ? {} : { action: { salt, value: action } };
  return { sequence: 7, leaf: { ...of.leaf, ...leaf }, openings, anchored: false };
}

/** RFC 4180, read by its grammar: records of cells. */
function read(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      for (at += 1; text[at] !== '"' || text[at + 1] === '"'; at += 1) {
        if (text[at] === '"') at += 1;
        cell += text[at];
      }
      at += 1;
    } else {
      while (at < text.length && text[at] !== ',' && !text.startsWith('\r\n', at)) {
        if (/["\r\n]/.test(text[at]!)) throw new Error(`a bare ${JSON.stringify(text[at])}`);
        cell += text[at++];
      }
    }
    record.push(cell);
    if (text[at] === ',') at += 1;
    else {
      if (!text.startsWith('\r\n', at)) throw new Error('a record without its end');
      at += 2;
      records.push(record);
      record = [];
    }
  }
  return records;
}

const columns = read(CSV.head.slice(1))[0]!;
const rowOf = (event: StoredEvent): Record<string, string> => {
  const records = read(CSV.write([event]));
  expect(records).toHaveLength(1);
  expect(records[0]).toHaveLength(columns.length);
  return Object.fromEntries(records[0]!.map((cell, n) => [columns[n], cell]));
};

describe('events as CSV', () => {
  it('begin with a byte order mark and the names of the columns', () => {
    expect(Buffer.from(CSV.head).subarray(0, 3).toString('hex')).toBe('efbbbf');
    expect(columns.slice(0, 3)).toEqual(['eventId', 'type', 'agentId']);
    expect(new Set(columns).size).toBe(columns.length);
    expect(CSV.write([])).toBe('');
  });

  it('hold the record of the event, times and ids as they are', () => {
    const { leaf } = denied(3);
    const action = { type: 'refund', toolName: 'crm', estimatedCost: 12.5, metadata: { a: [1, 'x'] }, dataScope: '' };
    expect(rowOf(stored(denied(3), action))).toMatchObject({
      eventId: leaf.eventId,
      occurredAt: leaf.occurredAt,
      sequence: '7',
      allowed: 'false',
      anchored: 'false',
      reason: leaf.reason,
      refersTo: '',
      'action.type': 'refund',
      'action.tool_name': 'crm',
      'action.estimatedCost': '12.5',
      'action.metadata': '{"a":[1,"x"]}',
      'action.url': '',
      action: '',
    });
    const changed = stored(other(4, 'agent.updated'), { name: 'B', by: null });
    expect(rowOf(changed)).toMatchObject({ action: '{"name":"B","by":null}', 'action.type': '' });
  });

  it('leave cells of erased content empty', () => {
    const row = rowOf(stored(denied(3)));
    expect(columns.filter((name) => name.startsWith('action')).map((name) => row[name])).toEqual(Array(7).fill(''));
    expect(row['outcome']).toBe('denied');
  });

  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '＝1+1',
    '＋1',
    '－1',
    '＠a',
    '=HYPERLINK("x","y")',
  ])('show %j as a text and not as a formula', (text) => {
    const row = rowOf(stored(denied(1), { type: text, url: text, metadata: text }, { reason: text }));
    for (const name of ['action.type', 'action.url', 'action.metadata', 'reason']) expect(row[name]).toBe(`'${text}`);
  });

  it('come back whole from a reader of RFC 4180, and no cell begins like a formula', () => {
    const text = fc.string({
      unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '"', ',', ';', ' ', 'a', 'é', "'"),
      maxLength: 12,
    });
    fc.assert(
      fc.property(text, text, (type, reason) => {
        const row = rowOf(stored(denied(1), { type }, { reason }));
        for (const cell of Object.values(row)) expect(cell).not.toMatch(/^[=+\-@\t\r\n]/);
        expect([type, `'${type}`]).toContain(row['action.type']);
        expect([reason, `'${reason}`]).toContain(row['reason']);
      }),
      { numRuns: 100 },
    );
  });
});

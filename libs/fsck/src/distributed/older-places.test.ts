import { canonicalLeaf, plainEnvelope, plainLeaf, uuidV7 } from '@countersign/evidence';
import type { Store } from '../open-stores.js';
import { placeIn } from '../places.js';
import { olderPlaces } from './older-places.js';
import { scratch } from './read-stores.js';
import { ARCHIVE } from './scratch-schema.js';

describe('events that only the archive still has', () => {
  let archive: Store;
  beforeEach(() => {
    archive = scratch();
    archive.exec(ARCHIVE.tables);
    for (const partition of [0, 3]) for (let offset = 0; offset < 4; offset += 1) add(partition, offset);
  });
  afterEach(() => archive.close());

  function add(partition: number, offset: number): void {
    const eventId = uuidV7(1_000 * partition + offset, new Uint8Array(10));
    const agentId = `00000000-0000-4000-8000-00000000000${partition}`;
    const leaf = plainLeaf({
      eventId,
      agentId,
      type: 'agent.created',
      occurredAt: '2026-03-01T09:30:00.000Z',
      action: 'ab'.repeat(32),
    });
    const given = { accountId: 'a', cadenceSeconds: 5, apiKeyId: null, openings: {} };
    const { leaf: _leaf, openings: _openings, ...facts } = plainEnvelope(leaf, given);
    archive
      .prepare('INSERT INTO events (n, sequence, leaf, facts, openings) VALUES (?, ?, ?, ?, NULL)')
      .run(placeIn(partition, offset), offset + 1, canonicalLeaf(leaf), JSON.stringify(facts));
  }
  const places = (begins: Record<number, number>) =>
    [...olderPlaces(begins, archive)].map(({ partition, offset, sequence }) => [partition, offset, sequence]);

  it('lie below the beginning of their partition', () => {
    expect(places({ 0: 0, 1: 0, 3: 0 })).toEqual([]);
    expect(places({ 0: 2, 1: 5, 3: 1 })).toEqual([
      [0, 0, 1],
      [0, 1, 2],
      [3, 0, 1],
    ]);
  });

  it('are refused where one is damaged, and without an archive', () => {
    archive.prepare(`UPDATE events SET leaf = replace(leaf, '2026', '2025 ') WHERE n = ?`).run(placeIn(3, 0));
    expect(places({ 0: 4, 3: 0 }).length).toBe(4);
    expect(() => places({ 3: 1 })).toThrow('the event at offset 0 of partition 3 is older than the log and damaged');
    expect(() => [...olderPlaces({ 0: 1 }, null)]).toThrow('the archive that has them cannot be read');
    expect([...olderPlaces({ 0: 0 }, null)]).toEqual([]);
  });
});

import type { ArchiveInspection, InspectedEvent } from '@countersign/audit-log';
import { canonicalLeaf, plainEnvelope, plainLeaf, uuidV7 } from '@countersign/evidence';
import { olderPlaces } from './older-places.js';

describe('events that only the archive still has', () => {
  let archived: InspectedEvent[];
  beforeEach(() => {
    archived = [0, 3].flatMap((partition) => [0, 1, 2, 3].map((offset) => event(partition, offset)));
  });

  const archive: Pick<ArchiveInspection, 'events'> = {
    async *events(range) {
      const { partition, from, to } = range!;
      yield* archived.filter(({ at }) => at.partition === partition && at.offset >= from && at.offset < to);
    },
  };

  function event(partition: number, offset: number): InspectedEvent {
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
    return {
      at: { partition, offset },
      eventId,
      agentId,
      accountId: 'a',
      sequence: offset + 1,
      occurredAtMs: Date.parse(leaf.occurredAt),
      class: null,
      blocked: false,
      erased: false,
      refersTo: null,
      trace: null,
      rule: null,
      hasOpenings: false,
      leaf: canonicalLeaf(leaf),
      facts: JSON.stringify(facts),
      openings: null,
    };
  }

  async function places(begins: Record<number, number>, from: typeof archive | null = archive) {
    const found: [number, number, number][] = [];
    for await (const { partition, offset, sequence } of olderPlaces(begins, from)) {
      found.push([partition, offset, sequence]);
    }
    return found;
  }

  it('lie below the beginning of their partition', async () => {
    expect(await places({ 0: 0, 1: 0, 3: 0 })).toEqual([]);
    expect(await places({ 0: 2, 1: 5, 3: 1 })).toEqual([
      [0, 0, 1],
      [0, 1, 2],
      [3, 0, 1],
    ]);
  });

  it('are refused where one is damaged, and without an archive', async () => {
    archived = archived.map((one) =>
      one.at.partition === 3 && one.at.offset === 0 ? { ...one, leaf: one.leaf.replace('2026', '2025 ') } : one,
    );
    expect((await places({ 0: 4, 3: 0 })).length).toBe(4);
    await expect(places({ 3: 1 })).rejects.toThrow(
      'the event at offset 0 of partition 3 is older than the log and damaged',
    );
    await expect(places({ 0: 1 }, null)).rejects.toThrow('the archive that has them cannot be read');
    expect(await places({ 0: 0 }, null)).toEqual([]);
  });
});

import type { BehaviorProfile, EventEnvelope, JsonValue } from '@countersign/contracts';
import { versionedRecord } from '@countersign/topics';
import { anchoredWindow } from '../testing/anchored-window.js';
import { ACCOUNT, agentId, envelope, eventId, other } from '../testing/envelopes.js';
import { OTHER_ACCOUNT, RunningAuditLog } from '../testing/running-audit-log.js';

const salt = 'AAAAAAAAAAAAAAAAAAAAAA';
const by = { kind: 'user', id: 'anna' };
const profiles = new Map<number, Partial<BehaviorProfile>>([
  [2, { agent_id: agentId(1), version: 2, mode: 'enforce', allowed_apis: [], spending_limit: 5 }],
  [3, { agent_id: agentId(1), version: 3, mode: 'enforce', allowed_apis: ['a.example'], spending_limit: null }],
  [4, { agent_id: agentId(1), version: 4, mode: 'observe', allowed_apis: ['a.example'], spending_limit: null }],
]);

function changed(n: number, version: number): EventEnvelope {
  const leaf = { profileVersion: version, profileSha256: version.toString().repeat(64) };
  const value = { profile: profiles.get(version)!, by } as unknown as JsonValue;
  return other(n, 'profile.changed', { leaf, openings: { action: { salt, value } } });
}

const check = (n: number, profileVersion: number): EventEnvelope => envelope(n, { leaf: { profileVersion } });

describe('routes about the history of an agent', () => {
  const service = new RunningAuditLog();
  const path = `/v1/agents/${agentId(1)}`;

  beforeAll(async () => {
    await service.start();
    await service.addAgent(agentId(1));
    await service.append(envelope(1), changed(2, 2), envelope(3), changed(4, 3), changed(5, 4), envelope(6));
    await service.context.eventLog.append(
      [
        [1, 2],
        [3, 3],
        [4, 5],
      ].map(([first, last], n) =>
        versionedRecord('anchors', `window:1-${n}:0`, 1, anchoredWindow(n, agentId(1), first!, last!)),
      ),
    );
    await service.eventually(async () => {
      expect((await service.ask('auditor', `/v1/events/${eventId(5)}`)).body).toMatchObject({ anchored: true });
    });
  }, 60_000);
  afterAll(() => service.stop());

  it('list the versions of the profile with what each changed', async () => {
    const { status, body } = await service.ask('auditor', `${path}/profile/versions`);
    expect([status, body.total, body.limit, body.offset]).toEqual([200, 3, 50, 0]);
    expect(body.versions).toEqual([
      { ...version(4, 5), changed: ['mode'] },
      { ...version(3, 4), changed: ['allowed_apis', 'spending_limit'] },
      { ...version(2, 2), changed: ['allowed_apis', 'mode', 'spending_limit'] },
    ]);
    const second = await service.ask('auditor', `${path}/profile/versions?limit=1&offset=1`);
    expect(second.body).toEqual({ versions: [body.versions[1]], total: 3, limit: 1, offset: 1 });
  });

  it('show each version as it was committed', async () => {
    for (const n of [2, 3, 4]) {
      const { status, body } = await service.ask('auditor', `${path}/profile/versions/${n}`);
      expect([status, body.version, body.profile]).toEqual([200, n, profiles.get(n)]);
    }
    for (const n of [1, 5]) expect((await service.ask('auditor', `${path}/profile/versions/${n}`)).status).toBe(404);
    for (const n of ['0', '-1', 'x', '1.5', '9'.repeat(16)]) {
      expect((await service.ask('auditor', `${path}/profile/versions/${n}`)).status).toBe(400);
    }
  });

  it('give policy an event with the profile of then, to its account alone', async () => {
    const { leaf } = check(7, 3);
    await service.append(check(7, 3), check(8, 1));
    const archive = await service.context.peer('event-archive');
    const found = await archive.withProfile(ACCOUNT, leaf.eventId.toUpperCase());
    expect([found?.event.envelope.leaf, found?.profile]).toEqual([leaf, profiles.get(3)]);
    expect((await archive.withProfile(ACCOUNT, eventId(8)))?.profile).toBeNull();
    expect(await archive.withProfile(OTHER_ACCOUNT, leaf.eventId)).toBeNull();
    expect(await archive.newestChecks(agentId(1), 1)).toEqual({
      from: envelope(8).leaf.occurredAt,
      to: envelope(9).leaf.occurredAt,
    });
  });

  it('list windows by their sequences, also those of a time', async () => {
    const { body } = await service.ask('auditor', `${path}/windows?limit=2`);
    expect(body).toEqual({
      windows: [
        {
          ...{ merkle_root: '2'.padStart(64, 'a'), chain_tx_signature: 'signature 2', chain_block_height: 2 },
          ...{ anchored_at: '2026-03-01T09:30:04.000Z', window_start: '2026-03-01T09:30:02.000Z' },
          ...{ window_end: '2026-03-01T09:30:03.000Z', event_count: 2, firstSequence: 4, lastSequence: 5 },
        },
        expect.objectContaining({ firstSequence: 3, lastSequence: 3 }),
      ],
      limit: 2,
      next: 3,
    });
    const rest = await service.ask('auditor', `${path}/windows?limit=2&before=${body.next}`);
    expect(rest.body).toMatchObject({ windows: [{ firstSequence: 1, lastSequence: 2 }], next: null });
    const at = (ms: number): string => `2026-03-01T09:30:00.00${ms}Z`;
    const timed = await service.ask('auditor', `${path}/windows?from=${at(3)}&to=${at(5)}`);
    expect(timed.body.windows.map((one: { firstSequence: number }) => one.firstSequence)).toEqual([4, 3]);
    expect((await service.ask('auditor', `${path}/windows?from=2027-01-01T00:00:00Z`)).body.windows).toEqual([]);
    for (const query of ['limit=0', 'before=0', 'from=yesterday', 'to=2026-02-30T00:00:00Z']) {
      expect((await service.ask('auditor', `${path}/windows?${query}`)).status).toBe(400);
    }
  });

  it.each(['profile/versions', 'profile/versions/2', 'windows'])('are of the account alone: %s', async (part) => {
    expect((await service.ask('auditor', `/v1/agents/unknown/${part}`)).status).toBe(400);
    expect((await service.ask(null, `${path}/${part}`)).status).toBe(401);
    const none = await service.ask('auditor', `/v1/agents/${agentId(9)}/${part}`);
    expect(none.status).toBe(404);
    expect(await service.ask('stranger', `${path}/${part}`)).toEqual(none);
  });
});

function version(n: number, event: number): object {
  return {
    ...{ version: n, at: envelope(event).leaf.occurredAt, by, eventId: eventId(event) },
    ...{ sha256: `${n}`.repeat(64), anchored: true },
  };
}

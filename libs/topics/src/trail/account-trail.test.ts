import { accountStream, type AccountFacts, type EventEnvelope } from '@countersign/contracts';
import { readEnvelope } from '@countersign/evidence';
import type { Projection } from '../projections/projection.js';
import { AccountTrail, type TrailContext } from './account-trail.js';

const ACCOUNT = '2b0c1f5e-6f0a-4c1d-8a3e-5d7f9b1c2e4a';
const ANNA = { kind: 'user', id: 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa' } as const;
const act = {
  accountId: ACCOUNT,
  type: 'account.report_published',
  by: ANNA,
  content: { report: { id: 'r' } },
} as const;
const accounts = {
  get: (id: string) => (id === ACCOUNT ? { version: 1, value: { cadenceSeconds: 300 } } : undefined),
  waitFor: async () => true,
} as unknown as Projection<AccountFacts>;

function trailOf(anchorWindowSeconds: number | null, now = async () => Date.UTC(2026, 2, 1)): AccountTrail {
  return new AccountTrail({ counters: { now }, config: { anchorWindowSeconds } } as unknown as TrailContext, accounts);
}

describe('the trail of an account', () => {
  it('has acts as events of the stream of the account, at the time of the counters', async () => {
    const [record, second] = await trailOf(null).records(act, { ...act, by: { kind: 'system' } });
    const envelope = JSON.parse(record!.value) as EventEnvelope;
    expect(readEnvelope(envelope).ok).toBe(true);
    expect(record).toMatchObject({ topic: 'agent-events', key: accountStream(ACCOUNT) });
    expect(envelope).toMatchObject({
      accountId: ACCOUNT,
      cadenceSeconds: 300,
      leaf: { type: act.type, detail: `user:${ANNA.id}`, occurredAt: '2026-03-01T00:00:00.000Z', outcome: null },
      openings: { action: { value: { by: ANNA, report: { id: 'r' } } } },
    });
    expect((JSON.parse(second!.value) as EventEnvelope).leaf.eventId).not.toBe(envelope.leaf.eventId);
  });

  it('takes the windows of the installation where it has its own', async () => {
    const [record] = await trailOf(1).records(act);
    expect(JSON.parse(record!.value)).toMatchObject({ cadenceSeconds: 1 });
  });

  it('asks for no time without acts, and makes no event without a time or an account', async () => {
    const noTime = (): Promise<number> => Promise.reject(new Error('no time'));
    expect(await trailOf(1, noTime).records()).toEqual([]);
    await expect(trailOf(1, noTime).records(act)).rejects.toThrow('no time');
    await expect(trailOf(null).records({ ...act, accountId: 'other' })).rejects.toThrow('not known');
  });
});

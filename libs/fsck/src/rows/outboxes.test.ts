import { accountStream } from '@countersign/contracts';
import type { AlertInspection } from '@countersign/alerts';
import { accountEvent } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { LAYOUT } from '../layout.js';
import { Report } from '../report.js';
import { checkOutboxes } from './outboxes.js';

const ACCOUNT = '11111111-1111-4111-8111-111111111111';
const EVENT = JSON.stringify(
  accountEvent(
    {
      type: 'account.stream_tested',
      by: { kind: 'user', id: ACCOUNT },
      content: { to: 'siem.example.com' },
    },
    {
      ...{
        accountId: ACCOUNT,
        cadenceSeconds: 60,
        occurredAtMs: Date.parse('2026-03-01T00:00:00.000Z'),
      },
      entropy: { id: new Uint8Array(10), salt: new Uint8Array(16) },
    },
    nodeCrypto.sha256,
  ),
);

async function problems(key: string, value: string): Promise<readonly string[]> {
  const alerts = {
    async *outbox() {
      yield { id: 7, record: { topic: 'agent-events', key, value } };
    },
    async *raises() {
      // None.
    },
  } as unknown as AlertInspection;
  const check = new Report().check('outboxes', 'records that wait to be published', 'restore');
  await checkOutboxes({ alerts, holds: null, identity: null, policy: null, reports: null }, check);
  expect([check.examined, check.behind]).toEqual([1, 1]);
  return check.findings.map(({ place, problem }) => `${place}: ${problem}`);
}

describe('events that wait in the outbox of alerts', () => {
  it('are leaves of their key', async () => {
    expect(await problems(accountStream(ACCOUNT), EVENT)).toEqual([]);
  });

  it.each([
    ['of another key', ACCOUNT, EVENT, 'another agent than its key'],
    ['no event', accountStream(ACCOUNT), EVENT.replace('"v":1', '"v":7'), 'it is no event'],
    ['not JSON', accountStream(ACCOUNT), EVENT.slice(1), 'it is no event'],
  ])('are found where they are %s', async (_what, key, value, problem) => {
    expect(await problems(key, value)).toEqual([
      expect.stringMatching(new RegExp(`^${LAYOUT.alerts} outbox 7 .*${problem}`)),
    ]);
  });
});

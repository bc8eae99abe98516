import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteDocumentStore } from '@countersign/document-store';
import type { DocumentStore } from '@countersign/document-store';
import { ACCOUNT_TOTALS, accountTotalsId, AGENT_TOTALS, COLLECTIONS } from './documents.js';
import { UsageRows } from './usage-rows.js';

let directory: string;
let documents: DocumentStore;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'policy-usage-'));
  documents = openSqliteDocumentStore(join(directory, 'policy.sqlite'), COLLECTIONS);
});
afterEach(async () => {
  await documents.close();
  rmSync(directory, { recursive: true });
});

const account = (accountId: string, partition: number) => ({
  id: accountTotalsId(accountId, partition),
  body: {
    totals: { accountId, period: '2026-03', actionsInPeriod: 1, actionsEver: 1, offsets: { [partition]: 1 } },
    ...{ revision: 1, published: 0 },
  },
});

const agent = (agentId: string) => ({
  id: agentId,
  body: {
    totals: {
      ...{ agentId, partition: 0, offset: 1, day: '2026-03-01', dayMicros: 0, month: '2026-03', monthMicros: 0 },
      rateTimes: [],
    },
    ...{ revision: 1, published: 0 },
  },
});

it('writes only the partitions of a published account that have changed', async () => {
  const rows = new UsageRows(documents);
  const [first, second] = [account('a', 0), account('a', 1)];
  await documents.transact((transaction) => transaction.set(ACCOUNT_TOTALS, [first, second]));
  await rows.published(await rows.unpublished('', 10));
  const changed = { ...second, body: { ...second.body, revision: 2, published: 1 } };
  await documents.transact((transaction) => transaction.set(ACCOUNT_TOTALS, [changed]));
  await rows.published(await rows.unpublished('', 10));
  expect(await documents.get(ACCOUNT_TOTALS, first.id)).toMatchObject({ version: 2, body: { published: 1 } });
  expect(await documents.get(ACCOUNT_TOTALS, second.id)).toMatchObject({ version: 4, body: { published: 2 } });
  expect(await rows.unpublished('', 10)).toEqual([]);
});

it('raises at most 500 rows in a transaction, and completes an interrupted call when it is repeated', async () => {
  const names = Array.from({ length: 601 }, (_, n) => String(n));
  await documents.transact(async (transaction) => {
    await transaction.set(
      ACCOUNT_TOTALS,
      names.flatMap((id) => [account(id, 0), account(id, 1)]),
    );
    await transaction.set(AGENT_TOTALS, names.map(agent));
  });
  const versions = new Map(
    names.flatMap((id): [string, number][] => [
      [`account:${id}`, 7],
      [`agent:${id}`, 7],
      [`claim:${id}`, 7],
    ]),
  );
  let left = 2;
  const failing = {
    transact: (work) => {
      left -= 1;
      return left < 0 ? Promise.reject(new Error('unavailable')) : documents.transact(work);
    },
  } as Pick<DocumentStore, 'transact'> as DocumentStore;
  const raised = async () =>
    (await new UsageRows(documents).unpublished('', 5000)).filter(({ version }) => version === 8).length;
  await expect(new UsageRows(failing).raise(versions)).rejects.toThrow('unavailable');
  expect(await raised()).toBe(1000);
  await new UsageRows(documents).raise(versions);
  expect(await raised()).toBe(1202);
});

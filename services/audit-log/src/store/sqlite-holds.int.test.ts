import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { legalHold, RELEASE } from '../testing/legal-holds.js';
import { holdStoreContract, type HoldsHarness } from './holds.contract.js';
import { inspectHolds } from './inspect-holds.js';
import { openSqliteHoldStore } from './open-holds.js';

let directory = '';
const file = (): string => {
  if (directory === '') directory = mkdtempSync(join(tmpdir(), 'hold-store-'));
  return join(directory, 'holds.db');
};

const harness: HoldsHarness = {
  open: () => openSqliteHoldStore(file()),
  async lose(id) {
    const database = new Database(file());
    database.prepare('DELETE FROM doc_holds WHERE id = ?').run(id);
    database.close();
  },
  async clean() {
    rmSync(directory, { recursive: true });
    directory = '';
  },
};
holdStoreContract('SQLite', harness);

describe('the inspection of holds', () => {
  const problems = async (): Promise<readonly string[]> => {
    const inspection = await inspectHolds({ file: file() });
    const found: string[] = [];
    for await (const { place, problem } of inspection.problems()) found.push(`${place}: ${problem}`);
    await inspection.close();
    return found;
  };

  it('finds nothing in holds as they were written, and a hold that is missing', async () => {
    const store = await harness.open();
    for (const n of [1, 2]) await store.place(legalHold(n), 9);
    await store.release(legalHold(1).accountId, legalHold(1).id, RELEASE);
    await store.close();
    expect(await problems()).toEqual([]);
    await harness.lose(legalHold(2).id);
    expect(await problems()).toEqual([
      `hold_gates ${legalHold(1).accountId}: the account has 1 legal holds, and 2 were placed`,
    ]);
    await harness.clean();
  });
});

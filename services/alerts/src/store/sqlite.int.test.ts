import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newMessage } from '../domain/message.js';
import { START } from '../testing/violations.js';
import { openSqliteAlertStore } from './sqlite.js';
import { alertStoreContract } from './store.contract.js';

let directory = '';
const file = (): string => join(directory, 'alerts.db');

alertStoreContract('SQLite', {
  async open() {
    directory = mkdtempSync(join(tmpdir(), 'alert-store-'));
    return openSqliteAlertStore(file());
  },
  async reopen(store) {
    await store.close();
    return openSqliteAlertStore(file());
  },
  async clean() {
    rmSync(directory, { recursive: true });
  },
});

describe('claims in SQLite', () => {
  it('end with the process that has them', async () => {
    directory = mkdtempSync(join(tmpdir(), 'alert-store-'));
    const owner = { accountId: 'a', destinationId: 'd' };
    const message = newMessage(owner, 'm', { type: 't', timestamp: '', data: {} }, 1, START);
    const killed = openSqliteAlertStore(file());
    await killed.addMessages([message]);
    expect(await killed.claim(START, START + 60_000, [])).not.toBeNull();
    const next = openSqliteAlertStore(file());
    expect((await next.claim(START, START + 60_000, []))?.message).toEqual(message);
    await killed.close();
    await next.close();
    rmSync(directory, { recursive: true });
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { openSqliteAnchorStore } from './sqlite.js';
import { anchorStoreContract } from './store.contract.js';

let directory = '';
const open = async (): Promise<ReturnType<typeof openSqliteAnchorStore>> =>
  openSqliteAnchorStore(join(directory, 'anchors.db'), nodeCrypto.sha256);

anchorStoreContract('sqlite', {
  async open() {
    directory = mkdtempSync(join(tmpdir(), 'anchoring-'));
    return open();
  },
  async reopen(store) {
    await store.close();
    return open();
  },
  async clean() {
    rmSync(directory, { recursive: true, force: true });
  },
});

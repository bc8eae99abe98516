import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { inspectAnchors } from './inspect.js';
import { inspectionContract } from './inspection.contract.js';
import { openSqliteAnchorStore } from './sqlite.js';
import type { AnchorStore } from './port.js';
import { anchorStoreContract } from './store.contract.js';

let directory = '';
const open = async (): Promise<ReturnType<typeof openSqliteAnchorStore>> =>
  openSqliteAnchorStore(join(directory, 'anchors.db'), nodeCrypto.sha256);

const backend = {
  async open() {
    directory = mkdtempSync(join(tmpdir(), 'anchoring-'));
    return open();
  },
  async reopen(store: AnchorStore) {
    await store.close();
    return open();
  },
  inspect: () => inspectAnchors({ file: join(directory, 'anchors.db') }),
  async clean() {
    rmSync(directory, { recursive: true, force: true });
  },
};

anchorStoreContract('sqlite', backend);
inspectionContract('sqlite', backend);

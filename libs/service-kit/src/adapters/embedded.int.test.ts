import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, loadConfig } from '@countersign/process';
import { openEmbedded } from './embedded.js';

it('reports that the process cannot continue when the thread that writes the log has ended', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'embedded-'));
  const config = loadConfig({ COUNTERSIGN_DATA_DIR: dataDir, SOLANA_RPC_URL: 'http://127.0.0.1:1' });
  const backends = await openEmbedded(config, createLogger('error'));
  const { shared } = backends.share();
  shared.writer.postMessage({ kind: 'append' });
  expect((await backends.died).message).toMatch(/^the log-writer thread has ended: .+/u);
  shared.writer.close();
  shared.counters.close();
  await backends.close().catch(() => undefined);
  rmSync(dataDir, { recursive: true });
});

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { LedgerReader } from '@countersign/chain';
import { MAX_PACKAGE_BYTES, type Packages } from './check-reports.js';
import type { WindowCounts } from './check-windows.js';
import type { Progress } from './compare-events.js';
import { examineStores } from './examine-stores.js';
import { LAYOUT, placeOf } from './layout.js';
import type { LedgerView } from './ledger-view.js';
import { openStores } from './open-stores.js';
import { Report } from './report.js';
import { singleFileEvents } from './single-file-events.js';

export interface Examination {
  readonly report: Report;
  readonly windows: WindowCounts;
}

/**
 * Compares everything that a stopped instance of the embedded profile stores with everything else, read-only. The caller
 * holds the data directory.
 */
export async function examine(dataDir: string, chainIsElsewhere: boolean, progress: Progress): Promise<Examination> {
  const report = new Report();
  const files = report.check('files', 'files whose pages are sound', 'restore the whole data directory from a backup');
  const stores = await openStores(dataDir, files);
  try {
    const windows = await examineStores(
      {
        ...stores,
        dataDir,
        isEmbedded: true,
        events: singleFileEvents,
        newerKeys: () => Promise.resolve(new Set()),
        ledger: stores.ledger === null ? null : inFile(stores.ledger),
        noChain: chainIsElsewhere ? 'the chain is not embedded: SOLANA_RPC_URL names it' : null,
        packages: packagesIn(placeOf(dataDir, 'packages')),
      },
      report,
      progress,
    );
    if (!existsSync(join(dataDir, 'bootstrap.json')))
      files.note('bootstrap.json is missing: the first start did not end');
    return { report, windows };
  } finally {
    await stores.close();
  }
}

function inFile(ledger: LedgerReader): LedgerView {
  const sequences = new Map<string, number>();
  return {
    network: 'solana:localnet',
    place: ({ signature }) => `${LAYOUT.ledger}/ledger.db transaction ${sequences.get(signature) ?? signature}`,
    transaction: (signature) => ledger.transaction(signature),
    *transactionsOf() {
      for (const transaction of ledger.transactions()) {
        sequences.clear();
        sequences.set(transaction.signature, transaction.sequence);
        yield transaction;
      }
    },
  };
}

function packagesIn(folder: string): Packages {
  return {
    has: (name) => existsSync(join(folder, name)),
    read: (name) => {
      const file = join(folder, name);
      return statSync(file).size > MAX_PACKAGE_BYTES ? null : readFileSync(file);
    },
  };
}

import type { Config } from '@countersign/process';
import { LAYOUT } from '../layout.js';
import { words } from '../open-stores.js';
import type { Rebuilt } from '../rebuild/rebuild-damaged.js';
import type { Check } from '../report.js';
import { inDistributedWords } from './names.js';
import { ServiceRuns } from './refusals.js';
import { inUse, openStoreRebuild, REBUILDABLE } from './store-rebuilds.js';

/** Makes a finding of each store whose collections are half replaced. @throws NotReadable */
export async function nameInterruptedSwaps(config: Config, files: Check): Promise<void> {
  for (const name of REBUILDABLE) {
    const store = await openStoreRebuild(name, config);
    try {
      if (!(await store.swap.interrupted())) continue;
      const advice = 'where the command was killed, run countersign fsck --rebuild again: it goes on where that ended';
      files.wrong(LAYOUT[name], 'its collections are being replaced', advice);
    } finally {
      await store.close();
    }
  }
}

/**
 * Ends what an earlier command has left half done, and takes back what it has only announced.
 * @returns what was put in place
 * @throws NotReadable; ServiceRuns
 */
export async function endInterruptedSwaps(config: Config): Promise<readonly Rebuilt[]> {
  const ended: Rebuilt[] = [];
  for (const name of REBUILDABLE) {
    const store = await openStoreRebuild(name, config);
    const file = inDistributedWords(LAYOUT[name]);
    try {
      if (!(await store.swap.interrupted())) continue;
      const kept = await store.swap.resume({ inUse: () => inUse(store, config) }).catch((error: unknown) => {
        throw new ServiceRuns(`${file}: ${words(error)}`, { cause: error });
      });
      if (kept === undefined) continue;
      ended.push({ file, aside: kept === null ? null : file + kept, refused: null, lost: [] });
    } finally {
      await store.close();
    }
  }
  return ended;
}

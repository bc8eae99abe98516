import { join } from 'node:path';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { RestoreRefused } from '@countersign/topics';
import type { RestoreContext, RestoreOptions, Restored } from '@countersign/service-kit';
import { authorityKey } from '../authority/authority-key.js';
import { WindowCloser } from '../close-windows/window-closer.js';
import { CutGate } from '../intake/cut-gate.js';
import { LeafIntake } from '../intake/leaf-intake.js';
import { ReportIntake } from '../intake/report-intake.js';
import { publishedAuthority } from '../lead/published-authority.js';
import { requirePublishedWindows } from '../lead/published-windows.js';
import type { AnchorStore } from '../store/port.js';
import { recordPublished } from './record-published.js';
import { recordConfirmed } from './record-confirmed.js';
import { cutsToMake, rebuildWindows } from './rebuild-windows.js';

/** More than the lease of a leader that was killed. */
const LEAD_MS = 30_000;
const PAGE = 1_000;

/**
 * Brings a store that was put back from an older copy up to what was published of it: cuts and closes the windows of
 * the recorded cuts again, and records where they and the reports are anchored. Nothing is sent to the chain and nothing
 * published. A repetition continues where one was interrupted.
 * @throws AuthorityKeyMissing, AuthorityKeyDamaged; RestoreRefused where it comes out otherwise than it was published, the log
 *   no longer holds what is needed, or an instance of anchoring runs
 */
export async function restoreFromTopics(context: RestoreContext, options: RestoreOptions): Promise<Restored> {
  const { eventLog } = context;
  const { sha256 } = nodeCrypto;
  const published = await publishedAuthority(eventLog);
  const key = published === null ? null : await authorityKey(context.directory, async () => published);
  if (key !== null && key.publicKey !== published) {
    throw new RestoreRefused(
      `anchors are signed by ${published}, and authority.json holds ${key.publicKey}: put it back from the backup`,
    );
  }
  const store = await context.openStore<AnchorStore>({
    sqlite: async () =>
      (await import('../store/sqlite.js')).openSqliteAnchorStore(join(context.directory, 'anchors.db'), sha256),
    mongo: async (uri, suffix) => (await import('../store/mongo.js')).openMongoAnchorStore(uri, { sha256, suffix }),
  });
  try {
    const missing = await cutsToMake(eventLog, store);
    if (options.dryRun) return { adopted: counted(missing.length, 0, 0), lost: [] };
    await lead(store);
    const intake = new LeafIntake(context, store, new CutGate());
    const closer = new WindowCloser(store, sha256);
    const { progress } = options;
    await rebuildWindows({ log: eventLog, store, intake, closer, progress }, missing);
    await takeRequests(context, store);
    const { adopted, unpublished } = await recordPublished(eventLog, store);
    const found =
      key === null || unpublished.length === 0
        ? []
        : await recordConfirmed(
            { chain: await context.chain(), store, authority: key.publicKey, clock: context.clock, progress },
            unpublished,
          );
    if (key !== null) await requirePublishedWindows(eventLog, store, key.publicKey);
    return { adopted: counted(missing.length, adopted.length, found.length), lost: [] };
  } finally {
    await store.close();
  }
}

async function lead(store: AnchorStore): Promise<void> {
  try {
    await store.lead(AbortSignal.timeout(LEAD_MS));
  } catch (cause) {
    throw new RestoreRefused('an instance of anchoring still runs: stop all services first', { cause });
  }
}

/** Reports that ask for a transaction and that the copy does not know of. */
async function takeRequests({ eventLog }: RestoreContext, store: AnchorStore): Promise<void> {
  const intake = new ReportIntake(store, () => undefined);
  const end = await eventLog.endOffsets('anchor-requests');
  for (const [name, until] of Object.entries(end)) {
    const partition = Number(name);
    for (let from = (await store.position('anchor-requests', partition)) ?? 0; from < until;) {
      const records = await eventLog.read('anchor-requests', partition, from, PAGE);
      const last = records.at(-1);
      if (last === undefined) break;
      await intake.take({ topic: 'anchor-requests', partition, records, endOffset: until });
      from = last.offset + 1;
    }
  }
}

function counted(cuts: number, adopted: number, found: number): readonly string[] {
  return [
    ...(cuts === 0 ? [] : [`${cuts} windows cut again where they were cut`]),
    ...(adopted === 0 ? [] : [`${adopted} published anchors`]),
    ...(found === 0 ? [] : [`${found} anchors found on the chain`]),
  ];
}

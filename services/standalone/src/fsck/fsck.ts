import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AnchorAuthority, AnchorFacts } from '@countersign/contracts';
import { checkAnchorRecords } from './check-anchor-records.js';
import { checkArchiveFigures } from './archive-figures.js';
import { checkChain } from './check-chain.js';
import { checkKeys } from './check-keys.js';
import { checkHeads, checkOwners, checkPublicFacts } from './check-mirrors.js';
import { checkReports } from './check-reports.js';
import { checkWindows, type WindowCounts } from './check-windows.js';
import { compareEvents, type Progress } from './compare-events.js';
import { LAYOUT } from './layout.js';
import { newestRecords } from './newest-records.js';
import { openStores, words, type Store, type Stores } from './open-stores.js';
import { recomputeTrees } from './recompute-trees.js';
import { Report, type Check } from './report.js';

export interface Examination {
  readonly report: Report;
  readonly windows: WindowCounts;
}

const FROM_BACKUP = 'restore the whole data directory from a backup';
const REFOLLOW = (file: string): string =>
  `restore ${file} from a backup, or, while the log still has everything, move it away: the service follows the log anew`;

/**
 * Holds everything that a stopped instance stores against everything else, reading only. Whoever calls it holds the
 * data directory.
 */
export async function examine(dataDir: string, chainIsElsewhere: boolean, progress: Progress): Promise<Examination> {
  const report = new Report();
  const files = report.check('files', 'files whose pages are sound', FROM_BACKUP);
  const stores = await openStores(dataDir, files);
  try {
    const windows = examineStores(dataDir, stores, report, chainIsElsewhere, progress);
    if (!existsSync(join(dataDir, 'bootstrap.json')))
      files.note('bootstrap.json is missing: the first start did not end');
    return { report, windows };
  } finally {
    stores.close();
  }
}

function examineStores(
  dataDir: string,
  stores: Stores,
  report: Report,
  chainIsElsewhere: boolean,
  progress: Progress,
): WindowCounts {
  const { log, archive, anchors, policy, identity, reports, facts, ledger } = stores;
  const checks = {
    leaves: report.check('event log', 'events, each a leaf or parked', FROM_BACKUP),
    archive: report.check(
      'archive',
      'events with the leaf, sequence and openings of the log',
      REFOLLOW(LAYOUT.archive),
    ),
    figures: report.check('archive figures', 'figures that its rows add up to', REFOLLOW(LAYOUT.archive)),
    heads: report.check('agent heads', 'agents whose head was told', REFOLLOW(LAYOUT.archive)),
    anchored: report.check('anchored leaves', 'hashes equal to those of the log', FROM_BACKUP),
    trees: report.check('trees', 'windows whose roots follow from their leaves', FROM_BACKUP),
    windows: report.check('windows', 'windows in order, linked, without a gap for any agent', FROM_BACKUP),
    records: report.check('anchor records', 'cuts and windows as they were told', FROM_BACKUP),
    chain: report.check(
      'chain',
      'anchors on the chain with exactly their memo',
      'do not publish further: ask who holds the key',
    ),
    usage: report.check('usage', 'checks that add up to the totals kept', REFOLLOW(LAYOUT.policy)),
    owners: report.check('topics', 'records equal to those of their owners', FROM_BACKUP),
    keys: report.check('keys', 'key files that fit what is published', 'restore the key file from a backup'),
    reports: report.check(
      'reports',
      'packages that verify',
      'restore the package from a backup, or issue the report again',
    ),
    public: report.check('public facts', 'facts as they were published', REFOLLOW(LAYOUT.facts)),
  };
  let counts: WindowCounts = { closed: 0, anchored: 0 };
  const ask = (check: Check, needed: Partial<Stores>, question: () => void): void => {
    const missing = Object.entries(needed).find(([, store]) => store === null);
    if (missing !== undefined) return check.skip(`${LAYOUT[missing[0] as keyof typeof LAYOUT]} cannot be read`);
    try {
      question();
    } catch (error) {
      check.wrong('the check', `it could not be ended: ${words(error)}`);
    }
  };

  ask(checks.leaves, { log }, () => compareEvents(log!, stores, checks, progress));
  for (const [check, needed] of [
    [checks.archive, { log, archive }],
    [checks.anchored, { log, anchors }],
    [checks.usage, { log }],
  ] as const) {
    ask(check, needed, () => undefined);
  }
  ask(checks.figures, { archive }, () => checkArchiveFigures(archive!, checks.figures));
  ask(checks.heads, { log, archive }, () => checkHeads(log!, archive!, checks.heads));
  ask(checks.trees, { anchors }, () => recomputeTrees(anchors!, checks.trees));
  ask(checks.windows, { anchors }, () => {
    counts = checkWindows(anchors!, checks.windows);
  });
  ask(checks.records, { log, anchors }, () => checkAnchorRecords(log!, anchors!, archive, checks.records));
  if (chainIsElsewhere) checks.chain.skip('the chain is not embedded: SOLANA_RPC_URL names it');
  else ask(checks.chain, { anchors }, () => checkEmbeddedChain(stores, anchors!, counts, checks.chain));
  ask(checks.owners, { log, identity, policy, reports }, () => checkOwners(log!, stores, checks.owners));
  ask(checks.keys, { log }, () => {
    const keys = checkKeys(dataDir, log!, anchors, checks.keys);
    const witnesses = { keys, ledger, authorities: authoritiesIn(stores) };
    ask(checks.reports, { reports }, () => checkReports(dataDir, reports!, witnesses, checks.reports));
  });
  ask(checks.reports, { log }, () => undefined);
  ask(checks.public, { log, facts, reports }, () => checkPublicFacts(log!, stores, checks.public));
  return counts;
}

function checkEmbeddedChain({ ledger }: Stores, anchors: Store, counts: WindowCounts, check: Check): void {
  if (ledger !== null) checkChain(anchors, ledger, check);
  else if (counts.anchored > 0)
    check.wrong(`${LAYOUT.ledger}/ledger.db`, 'the ledger that windows are anchored in cannot be read');
}

function authoritiesIn({ log }: Stores): readonly AnchorAuthority[] {
  const records = newestRecords<AnchorFacts>(log!, 'anchors', {
    values: true,
    keys: (key) => key.startsWith('authority:'),
  });
  return [...records.values()].flatMap(({ value }) =>
    value?.kind === 'authority'
      ? { address: value.address, network: value.network, validFrom: value.validFrom, validTo: value.validTo }
      : [],
  );
}

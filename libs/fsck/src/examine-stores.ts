import type { AnchorInspection } from '@countersign/anchoring';
import type { AnchorAuthority, AnchorFacts, TopicName } from '@countersign/contracts';
import type { StoredLog } from '@countersign/event-log';
import type { VerificationKey } from '@countersign/evidence';
import { checkArchiveFigures } from './archive-figures.js';
import { checkAnchorRecords } from './check-anchor-records.js';
import { checkChain } from './check-chain.js';
import { checkKeys } from './check-keys.js';
import { checkHeads, checkOwners, checkPublicFacts } from './check-mirrors.js';
import { checkReports, type Packages } from './check-reports.js';
import { checkWindows, type WindowCounts } from './check-windows.js';
import { compareEvents, type EventRecords, type Progress } from './compare-events.js';
import { LAYOUT, type StoreName } from './layout.js';
import type { LedgerView } from './ledger-view.js';
import { newestRecords } from './newest-records.js';
import { words, type ServiceStores } from './open-stores.js';
import { recomputeTrees } from './recompute-trees.js';
import type { Check, Report } from './report.js';
import { checkAlerts } from './rows/alert-events.js';
import { checkAnchorRequests } from './rows/anchor-requests.js';
import { askStores } from './rows/ask-stores.js';
import { checkClaims, checkPublishedTotals } from './rows/claims.js';
import { checkOutboxes } from './rows/outboxes.js';
import { checkPositions } from './rows/positions.js';
import type { Totals } from './usage-sums.js';

/** Stores of an installation, open for reading; `null`: it cannot be read, which is a finding already. */
export interface Examined extends ServiceStores {
  readonly dataDir: string;
  /** One stopped process, whose stores have all tables of the embedded profile. */
  readonly isEmbedded: boolean;
  readonly log: StoredLog | null;
  /** @throws LogDamaged */
  events(log: StoredLog): EventRecords;
  /** Keys of the records of a topic that were appended since `log` was read. */
  newerKeys(topic: TopicName): Promise<ReadonlySet<string>>;
  readonly ledger: LedgerView | null;
  /** Why no chain can be asked; `null`: it can, or must be there to be asked. */
  readonly noChain: string | null;
  readonly packages: Packages;
  /** Where the counters outlive those who count: held against what the log adds up to. */
  readonly counters?: (accounts: ReadonlyMap<string, Totals>, check: Check) => Promise<void>;
}

const FROM_BACKUP = 'restore the whole data directory from a backup';
const REFOLLOW = (file: string): string =>
  `stop what writes to it and rebuild ${file} from the log with countersign fsck --rebuild, or restore a backup`;

/** Asks every question of what is stored; each is asked although others failed. */
export async function examineStores(examined: Examined, report: Report, progress: Progress): Promise<WindowCounts> {
  const { dataDir, log, archive, anchors, policy, identity, reports, facts, alerts, ledger } = examined;
  const checks = {
    leaves: report.check('event log', 'events, each a leaf or dead-lettered', FROM_BACKUP),
    archive: report.check(
      'archive',
      'events with the leaf, sequence and openings of the log',
      REFOLLOW(LAYOUT.archive),
    ),
    figures: report.check('archive figures', 'figures that its rows add up to', REFOLLOW(LAYOUT.archive)),
    heads: report.check('agent heads', 'agents whose head was published', REFOLLOW(LAYOUT.archive)),
    anchored: report.check('anchored leaves', 'hashes equal to those of the log', FROM_BACKUP),
    trees: report.check('trees', 'windows whose roots follow from their leaves', FROM_BACKUP),
    windows: report.check('windows', 'windows in order, linked, without a gap for any agent', FROM_BACKUP),
    records: report.check('anchor records', 'cuts and windows as they were published', FROM_BACKUP),
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
    alerts: report.check('alerts', 'destinations and messages, each of an account or an event', FROM_BACKUP),
    repetitions: report.check('repetitions', 'event ids that consumers know again', FROM_BACKUP),
    positions: report.check('positions', 'places up to which consumers have read', FROM_BACKUP),
    outboxes: report.check('outboxes', 'records that wait to be published', FROM_BACKUP),
    rows: report.check('rows', 'questions that stores answer about their own rows', FROM_BACKUP),
    public: report.check('public facts', 'facts as they were published', REFOLLOW(LAYOUT.facts)),
  };
  let counts: WindowCounts = { closed: 0, anchored: 0 };
  const ask = async (
    check: Check,
    needed: Partial<Record<StoreName | 'log', unknown>>,
    question: () => void | Promise<void>,
  ): Promise<void> => {
    const missing = Object.entries(needed).find(([, store]) => store === null);
    if (missing !== undefined) return check.skip(`${LAYOUT[missing[0] as keyof typeof LAYOUT]} cannot be read`);
    try {
      await question();
    } catch (error) {
      check.wrong('the check', `it could not be ended: ${words(error)}`);
    }
  };

  let accounts: ReadonlyMap<string, Totals> | null = null;
  await ask(checks.leaves, { log }, async () => {
    accounts = await compareEvents(log!, examined.events(log!), examined, checks, examined.isEmbedded, progress);
  });
  for (const [check, needed] of [
    [checks.archive, { log, archive }],
    [checks.anchored, { log, anchors }],
    [checks.usage, { log }],
  ] as const) {
    await ask(check, needed, () => undefined);
  }
  await ask(checks.figures, { archive }, () => checkArchiveFigures(archive!, checks.figures));
  await ask(checks.heads, { log, archive }, () => checkHeads(log!, archive!, checks.heads));
  await ask(checks.trees, { anchors }, () => recomputeTrees(anchors!, checks.trees));
  await ask(checks.windows, { anchors }, async () => {
    counts = await checkWindows(anchors!, checks.windows);
  });
  await ask(checks.records, { log, anchors }, () =>
    checkAnchorRecords(log!, examined, anchors!, archive, checks.records),
  );
  await ask(checks.records, { log, anchors }, () => checkAnchorRequests(log!, examined, anchors!, checks.records));
  if (examined.noChain !== null) checks.chain.skip(examined.noChain);
  else await ask(checks.chain, { anchors }, () => askChain(ledger, anchors!, counts, checks.chain));
  await ask(checks.owners, { log, identity, policy, reports }, () => checkOwners(log!, examined, checks.owners));
  let keys: readonly VerificationKey[] = [];
  await ask(checks.keys, { log }, async () => {
    keys = await checkKeys(dataDir, log!, anchors, checks.keys);
  });
  await ask(checks.reports, { log, reports }, () => {
    const witnesses = { keys, ledger, authorities: authoritiesIn(log!) };
    return checkReports(examined.packages, reports!, witnesses, checks.reports);
  });
  await ask(checks.alerts, { log, alerts }, () => checkAlerts(log!, alerts!, archive, checks.alerts));
  await ask(checks.positions, { log }, () => checkPositions(log!, examined, examined.isEmbedded, checks.positions));
  await ask(checks.rows, {}, () => askStores(examined, checks.rows));
  if (examined.isEmbedded) {
    await ask(checks.repetitions, { log, anchors, policy, alerts }, () => undefined);
    await ask(checks.usage, { log, policy }, () => checkClaims(log!, policy!, checks.usage));
    await ask(checks.usage, { log, policy }, () => checkPublishedTotals(log!, policy!, checks.usage));
    await ask(checks.outboxes, {}, () => checkOutboxes(examined, checks.outboxes));
  } else {
    checks.repetitions.skip('it is asked of the embedded profile');
    checks.outboxes.skip('it is asked of the embedded profile: see topics');
  }
  await ask(checks.public, { log, facts, reports }, () => checkPublicFacts(log!, examined, checks.public));
  if (examined.counters !== undefined) {
    const check = report.check(
      'counters',
      'accounts whose counters hold what the log has',
      'empty Redis: the gateways rebuild them',
    );
    if (accounts === null) check.skip('the log was not read to its end');
    else await ask(check, {}, () => examined.counters!(accounts!, check));
  }
  return counts;
}

async function askChain(
  ledger: LedgerView | null,
  anchors: AnchorInspection,
  counts: WindowCounts,
  check: Check,
): Promise<void> {
  if (ledger !== null) await checkChain(anchors, ledger, check);
  else if (counts.anchored > 0)
    check.wrong(`${LAYOUT.ledger}/ledger.db`, 'the ledger that windows are anchored in cannot be read');
}

function authoritiesIn(log: StoredLog): readonly AnchorAuthority[] {
  const records = newestRecords<AnchorFacts>(log, 'anchors', {
    values: true,
    keys: (key) => key.startsWith('authority:'),
  });
  return [...records.values()].flatMap(({ value }) =>
    value?.kind === 'authority'
      ? { address: value.address, network: value.network, validFrom: value.validFrom, validTo: value.validTo }
      : [],
  );
}

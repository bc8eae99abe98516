import Database from 'better-sqlite3';
import { parseWindowMemo, reportMemo, windowMemo } from '@countersign/evidence';
import { LAYOUT } from './layout.js';
import type { LedgerView, SeenTransaction } from './ledger-view.js';
import type { Store } from './open-stores.js';
import type { Check } from './report.js';

interface WindowRow {
  readonly id: string;
  readonly cadence: number;
  readonly start: number;
  readonly root: string;
  readonly prev: string | null;
  readonly agents: number;
  readonly events: number;
  readonly memo: string | null;
  readonly done: number | null;
  readonly signature: string | null;
  readonly slot: number | null;
  readonly height: number | null;
  readonly authority: string | null;
}

interface Anchor {
  readonly place: string;
  readonly memo: string;
  readonly signature: string;
  readonly slot: number | null;
  readonly height: number | null;
  readonly authority: string | null;
}

/**
 * Each finalized anchor is a successful transaction of the ledger, signed by its authority, with exactly its memo; and
 * no authority has said two different things about one window.
 */
export async function checkChain(anchors: Store, ledger: LedgerView, check: Check): Promise<void> {
  const authorities = new Set<string>();
  for (const anchor of anchorsOf(anchors, check)) {
    check.examined += 1;
    if (anchor.authority !== null) authorities.add(anchor.authority);
    checkAnchor(anchor, await ledger.transaction(anchor.signature), check);
  }
  await checkMemos(anchors, ledger, authorities, check);
}

function* anchorsOf(anchors: Store, check: Check): Generator<Anchor> {
  const windows = anchors.prepare<[], WindowRow>(
    `SELECT w.id, w.cadence, w.start_ms AS start, w.root, w.prev, w.agent_count AS agents, w.event_count AS events, s.memo,
       s.done, w.signature, w.slot, w.block_height AS height, w.authority
     FROM windows w LEFT JOIN submissions s ON s.id = 'window:' || w.id WHERE w.state = 'closed' ORDER BY w.n`,
  );
  for (const window of windows.iterate()) {
    const place = `${LAYOUT.anchors} windows ${window.id}`;
    const memo = windowMemo({
      root: window.root,
      prev: window.prev,
      windowStart: new Date(window.start).toISOString(),
      durationSeconds: window.cadence,
      agents: window.agents,
      events: window.events,
    });
    if (window.memo !== memo) check.wrong(place, 'the memo that is to be anchored is not the one of the window');
    const { signature, done } = window;
    if ((signature !== null) !== (done === 1)) check.wrong(place, 'its submission and its transaction do not agree');
    if (signature !== null) yield { ...window, place, memo, signature };
    else check.behind += 1;
  }
  const reports = anchors.prepare<[], Omit<Anchor, 'place' | 'memo'> & { id: string; hash: string }>(
    `SELECT report_id AS id, content_hash AS hash, signature, slot, block_height AS height, authority FROM reports
     WHERE signature IS NOT NULL ORDER BY report_id`,
  );
  for (const report of reports.iterate()) {
    yield { ...report, place: `${LAYOUT.anchors} reports ${report.id}`, memo: reportMemo(report.hash) };
  }
}

function checkAnchor(anchor: Anchor, found: SeenTransaction | null, check: Check): void {
  const { place, memo, signature, authority } = anchor;
  if (found === null) return check.wrong(place, `transaction ${signature} is not in the ledger`);
  if (!found.succeeded) check.wrong(place, `transaction ${signature} failed`);
  if (authority === null || !found.signers.includes(authority)) {
    check.wrong(place, `transaction ${signature} is not signed by the authority ${String(authority)}`);
  }
  if (found.memos.length !== 1 || found.memos[0] !== memo) {
    check.wrong(place, `transaction ${signature} does not hold exactly its memo`);
  }
  const height = found.blockHeight ?? anchor.height;
  if (found.slot !== anchor.slot || height !== anchor.height) {
    check.wrong(
      place,
      `slot ${String(anchor.slot)}, height ${String(anchor.height)}; the ledger says ${found.slot} and ${String(height)}`,
    );
  }
}

/** Reads the ledger the other way round. What was said of windows lies in a temporary file: there may be millions. */
async function checkMemos(
  anchors: Store,
  ledger: LedgerView,
  authorities: ReadonlySet<string>,
  check: Check,
): Promise<void> {
  const said = new Database('');
  said.pragma('journal_mode = OFF');
  said.exec(
    'CREATE TABLE said (label TEXT PRIMARY KEY, root TEXT NOT NULL, landed INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID; BEGIN',
  );
  const add = said.prepare<[string, string]>('INSERT OR IGNORE INTO said (label, root) VALUES (?, ?)');
  const rootOf = said.prepare<[string], string>('SELECT root FROM said WHERE label = ?').pluck();
  const windows = anchors.prepare<[], { label: string; root: string }>(
    `SELECT cadence || ' ' || start_ms AS label, root FROM windows WHERE state = 'closed'`,
  );
  for (const { label, root } of windows.iterate()) add.run(label, root);
  const land = said.prepare<[string]>('UPDATE said SET landed = landed + 1 WHERE label = ?');
  for await (const transaction of ledger.transactionsOf(authorities)) {
    const { succeeded, signers, memos } = transaction;
    if (!succeeded || !signers.some((signer) => authorities.has(signer))) continue;
    for (const text of memos) {
      const memo = parseWindowMemo(text);
      if (memo === null) continue;
      const label = `${memo.durationSeconds} ${Date.parse(memo.windowStart)}`;
      const root = rootOf.get(label);
      const place = ledger.place(transaction);
      if (root === undefined)
        check.wrong(place, `anchors a window that ${LAYOUT.anchors} does not have: ${memo.windowStart}`);
      else if (root !== memo.root)
        check.wrong(place, `anchors another root of the window ${memo.windowStart}: equivocation`);
      land.run(label);
    }
  }
  const twice = said.prepare<[], number>('SELECT count(*) FROM said WHERE landed > 1').pluck().get() ?? 0;
  said.close();
  if (twice > 0) check.note(`${twice} windows were anchored more than once with the same root: the earliest counts`);
}

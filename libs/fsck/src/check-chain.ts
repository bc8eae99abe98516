import type { AnchorInspection, InspectedWindow } from '@countersign/anchoring';
import { parseWindowMemo, reportMemo, windowMemo } from '@countersign/evidence';
import { LAYOUT } from './layout.js';
import type { LedgerView, SeenTransaction } from './ledger-view.js';
import type { Check } from './report.js';
import { scratch } from './scratch.js';

interface Anchor {
  readonly place: string;
  readonly memo: string;
  readonly signature: string;
  readonly slot: number | null;
  readonly blockHeight: number | null;
  readonly authority: string | null;
}

/**
 * Each finalized anchor is a successful transaction of the ledger, signed by its authority, with exactly its memo; and
 * no authority has said two different things about one window.
 */
export async function checkChain(anchors: AnchorInspection, ledger: LedgerView, check: Check): Promise<void> {
  const authorities = new Set<string>();
  for await (const anchor of anchorsOf(anchors, check)) {
    check.examined += 1;
    if (anchor.authority !== null) authorities.add(anchor.authority);
    checkAnchor(anchor, await ledger.transaction(anchor.signature), check);
  }
  await checkMemos(anchors, ledger, authorities, check);
}

async function* anchorsOf(anchors: AnchorInspection, check: Check): AsyncGenerator<Anchor> {
  for await (const window of anchors.windows()) {
    if (!window.isClosed) continue;
    const place = `${LAYOUT.anchors} windows ${window.windowId}`;
    const memo = memoOf(window);
    if (window.memo !== memo) check.wrong(place, 'the memo to anchor is not the one of the window');
    const { signature } = window;
    if ((signature !== null) !== window.isSubmitted)
      check.wrong(place, 'its submission and its transaction do not agree');
    if (signature !== null) yield { ...window, place, memo, signature };
    else check.behind += 1;
  }
  for await (const report of anchors.reports()) {
    const { reportId, contentHash, signature } = report;
    if (signature === null) continue;
    yield { ...report, place: `${LAYOUT.anchors} reports ${reportId}`, memo: reportMemo(contentHash), signature };
  }
}

function memoOf({ root, prev, startMs, cadenceSeconds, agentCount, eventCount }: InspectedWindow): string {
  return windowMemo({
    root: root ?? '',
    prev,
    windowStart: new Date(startMs).toISOString(),
    durationSeconds: cadenceSeconds,
    agents: agentCount ?? 0,
    events: eventCount ?? 0,
  });
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
  const height = found.blockHeight ?? anchor.blockHeight;
  if (found.slot !== anchor.slot || height !== anchor.blockHeight) {
    check.wrong(
      place,
      `slot ${String(anchor.slot)}, height ${String(anchor.blockHeight)}; the ledger says ${found.slot} and ${String(height)}`,
    );
  }
}

/** Reads the ledger the other way round. What was said of windows lies in a temporary file: there may be millions. */
async function checkMemos(
  anchors: AnchorInspection,
  ledger: LedgerView,
  authorities: ReadonlySet<string>,
  check: Check,
): Promise<void> {
  const said = scratch();
  said.exec(
    'CREATE TABLE said (label TEXT PRIMARY KEY, root TEXT NOT NULL, landed INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID; BEGIN',
  );
  const add = said.prepare<[string, string]>('INSERT OR IGNORE INTO said (label, root) VALUES (?, ?)');
  const rootOf = said.prepare<[string], string>('SELECT root FROM said WHERE label = ?').pluck();
  for await (const { isClosed, cadenceSeconds, startMs, root } of anchors.windows()) {
    if (isClosed) add.run(`${cadenceSeconds} ${startMs}`, root ?? '');
  }
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

import type { AnchorFacts, AnchorRequest } from '@countersign/contracts';
import type { StoredLog } from '@countersign/event-log';
import { reportMemo } from '@countersign/evidence';
import { LAYOUT } from '../layout.js';
import { newestRecords } from '../newest-records.js';
import type { Store } from '../open-stores.js';
import { Reached } from '../places.js';
import type { Check } from '../report.js';
import { has } from './positions.js';

type ReportAnchor = Extract<AnchorFacts, { kind: 'report' }>;

interface ReportRow {
  readonly id: string;
  readonly contentHash: string;
  readonly signature: string | null;
  readonly slot: number | null;
  readonly height: number | null;
  readonly authority: string | null;
}

const COLUMNS = 'report_id AS id, content_hash AS contentHash, signature, slot, block_height AS height, authority';

/** Reports that ask for a transaction, and what was told of their anchors, against what anchoring keeps of them. */
export function checkAnchorRequests(log: StoredLog, anchors: Store, check: Check): void {
  const asked = newestRecords<AnchorRequest>(log, 'anchor-requests', { values: true });
  const told = newestRecords<AnchorFacts>(log, 'anchors', { values: true, keys: (key) => key.startsWith('report:') });
  const position = Reached.in(anchors, 'anchor-requests');
  const isEmbedded = has(anchors, 'seen');
  const memos = anchors.prepare<[string], string>('SELECT memo FROM submissions WHERE id = ?').pluck();
  for (const row of anchors.prepare<[], ReportRow>(`SELECT ${COLUMNS} FROM reports ORDER BY report_id`).iterate()) {
    check.examined += 1;
    const wrong = (problem: string): void => check.wrong(`${LAYOUT.anchors} reports ${row.id}`, problem);
    const request = asked.get(row.id)?.value ?? null;
    asked.delete(row.id);
    if (request === null) wrong('the topic anchor-requests does not ask for it');
    else if (request.contentHash !== row.contentHash) wrong('its content hash is not the one that was asked for');
    if (isEmbedded && memos.get(`report:${row.id}`) !== reportMemo(row.contentHash))
      wrong('the memo that is to be anchored is not the one of the report');
    const anchor = told.get(`report:${row.id}`)?.value ?? null;
    told.delete(`report:${row.id}`);
    if (anchor?.kind === 'report') compareAnchor(anchor, row, wrong);
  }
  for (const [id, { offset, digest }] of asked) {
    if (digest === null) continue;
    if (position.has(offset)) check.wrong(`anchor-requests offset ${offset}`, `${LAYOUT.anchors} has no report ${id}`);
    else check.behind += 1;
  }
  for (const [key, { offset, digest }] of told) {
    if (digest !== null) check.wrong(`anchors offset ${offset} (${key})`, `${LAYOUT.anchors} has no such report`);
  }
  if (isEmbedded) checkTold(log, anchors, check);
}

function compareAnchor(anchor: ReportAnchor, row: ReportRow, wrong: (problem: string) => void): void {
  const fields: readonly (readonly [string, unknown, unknown])[] = [
    ['content hash', anchor.contentHash, row.contentHash],
    ['transaction', anchor.txSignature, row.signature],
    ['slot', anchor.slot, row.slot],
    ['block height', anchor.blockHeight, row.height],
    ['authority', anchor.authority, row.authority],
  ];
  for (const [name, said, stored] of fields) {
    if (said !== stored) wrong(`its ${name} is not the one that the topic anchors tells`);
  }
}

/** What only the embedded profile's table keeps: time and network, and whether the log was told. */
function checkTold(log: StoredLog, anchors: Store, check: Check): void {
  const rows = anchors.prepare<[], { id: string; at: string; network: string; published: number }>(
    'SELECT report_id AS id, anchored_at AS at, network, published FROM reports WHERE signature IS NOT NULL',
  );
  const told = newestRecords<AnchorFacts>(log, 'anchors', { values: true, keys: (key) => key.startsWith('report:') });
  for (const { id, at, network, published } of rows.iterate()) {
    const place = `${LAYOUT.anchors} reports ${id}`;
    const anchor = told.get(`report:${id}`)?.value;
    if (anchor?.kind !== 'report') {
      if (published === 1) check.wrong(place, 'it was told and is not in the topic anchors');
    } else if (anchor.anchoredAt !== at || anchor.network !== network)
      check.wrong(place, 'its time or network is not the one that the topic anchors tells');
  }
}

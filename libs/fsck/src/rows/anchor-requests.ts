import type { AnchorInspection, InspectedReport } from '@countersign/anchoring';
import type { AnchorFacts, AnchorRequest } from '@countersign/contracts';
import type { StoredLog } from '@countersign/event-log';
import { reportMemo } from '@countersign/evidence';
import type { Newer } from '../check-anchor-records.js';
import { LAYOUT } from '../layout.js';
import { newestRecords } from '../newest-records.js';
import { Reached } from '../places.js';
import type { Check } from '../report.js';

type ReportAnchor = Extract<AnchorFacts, { kind: 'report' }>;

/** Reports that ask for a transaction, and what was published of their anchors, against anchoring's store. */
export async function checkAnchorRequests(
  log: StoredLog,
  newer: Newer,
  anchors: AnchorInspection,
  check: Check,
): Promise<void> {
  const requested = newestRecords<AnchorRequest>(log, 'anchor-requests', { values: true });
  const ofReports = { values: true, keys: (key: string) => key.startsWith('report:') };
  const published = newestRecords<AnchorFacts>(log, 'anchors', ofReports);
  const position = new Reached(await anchors.positions('anchor-requests'));
  const since = { requests: await newer.newerKeys('anchor-requests'), anchors: await newer.newerKeys('anchors') };
  for await (const report of anchors.reports()) {
    check.examined += 1;
    const { reportId } = report;
    const wrong = (problem: string): void => check.wrong(`${LAYOUT.anchors} reports ${reportId}`, problem);
    const request = requested.get(reportId)?.value ?? null;
    requested.delete(reportId);
    if (request !== null && request.contentHash !== report.contentHash)
      wrong('its content hash is not the one of the request');
    else if (request === null && !since.requests.has(reportId)) wrong('the topic anchor-requests does not have it');
    if (report.memo !== reportMemo(report.contentHash)) wrong('the memo to anchor is not the one of the report');
    const key = `report:${reportId}`;
    const anchor = published.get(key)?.value ?? null;
    published.delete(key);
    if (anchor?.kind === 'report') compareAnchor(anchor, report, wrong);
    else if (report.isPublished && !since.anchors.has(key)) wrong('it was published and is not in the topic anchors');
  }
  for (const [id, { offset, digest }] of requested) {
    if (digest === null) continue;
    if (position.has(offset)) check.wrong(`anchor-requests offset ${offset}`, `${LAYOUT.anchors} has no report ${id}`);
    else check.behind += 1;
  }
  for (const [key, { offset, digest }] of published) {
    if (digest !== null) check.wrong(`anchors offset ${offset} (${key})`, `${LAYOUT.anchors} has no such report`);
  }
}

function compareAnchor(anchor: ReportAnchor, report: InspectedReport, wrong: (problem: string) => void): void {
  const fields: readonly (readonly [string, unknown, unknown])[] = [
    ['content hash', anchor.contentHash, report.contentHash],
    ['transaction', anchor.txSignature, report.signature],
    ['slot', anchor.slot, report.slot],
    ['block height', anchor.blockHeight, report.blockHeight],
    ['authority', anchor.authority, report.authority],
    ['time', anchor.anchoredAt, report.anchoredAt],
    ['network', anchor.network, report.network],
  ];
  for (const [name, published, stored] of fields) {
    if (published !== stored) wrong(`its ${name} is not the one of the topic anchors`);
  }
}

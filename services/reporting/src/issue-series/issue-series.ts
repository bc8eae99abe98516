import { createHash, randomUUID } from 'node:crypto';
import type { SeriesEntry } from '@countersign/contracts';
import { assembleSeries, canonicalMembers, lengthOf, seriesGaps } from '@countersign/evidence';
import { HttpRefusal } from '@countersign/http-edge';
import { auditOf, type Preparer } from '../issue-report/audit.js';
import type { Issuer } from '../issue-report/issue.js';
import { signAnchored } from '../issue-report/sign-anchored.js';
import type { StoredReport, StoredSeries } from '../store/port.js';
import { seriesIssued } from '../trail/acts.js';

/** Verifiers accept 64 MiB; a larger manifest has more agents than one reader reads. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Bytes of a body that are hashed in one tick. */
const HASHED_AT_ONCE = 4 * 1024 * 1024;

export interface IssuedSeries {
  readonly series: StoredSeries;
  readonly pieces: () => Iterable<Uint8Array>;
}

/**
 * Issues a series over stored reports of one account: checks that their packages are stored as they were issued and
 * that nothing lies between them, requests the series' own transaction, waits for it, signs, stores. One package is
 * in memory at a time.
 * @param reports of the account, none withdrawn, in any order
 * @throws HttpRefusal 400 where something lies between them, with what to export; 503 if it cannot be signed
 */
export async function issueSeries(
  issuer: Issuer,
  accountId: string,
  preparer: Preparer,
  reports: readonly StoredReport[],
): Promise<IssuedSeries> {
  const signer = await issuer.signer();
  const ordered = [...reports].sort((a, b) => (a.from < b.from ? -1 : 1));
  requireAdjacent(ordered);
  const packages: SeriesEntry[] = [];
  for (const report of ordered) packages.push(await entryOf(issuer, report));
  for (const { agentId, first, last } of seriesGaps(packages))
    throw new HttpRefusal(
      400,
      `numbers ${first} to ${last} of agent ${agentId} lie between these reports: export the range again with fit`,
    );
  const seriesId = randomUUID();
  const content = canonicalMembers(
    assembleSeries({
      seriesId,
      generator: { name: 'countersign', version: issuer.generatorVersion },
      range: { from: ordered[0]!.from, to: ordered.at(-1)!.to },
      packages,
      audit: auditOf(preparer, await issuer.store.scope(accountId), issuer.mapping.version),
    }),
  );
  if (lengthOf(content) > MAX_BYTES)
    throw new HttpRefusal(400, 'the series would be larger than 32 MiB: join fewer reports, or export fewer agents');
  const { signature, pieces, contentHash, createdAt } = await signAnchored(issuer, signer, seriesId, content);
  const series: StoredSeries = {
    id: seriesId,
    accountId,
    createdAt,
    from: ordered[0]!.from,
    to: ordered.at(-1)!.to,
    reportIds: ordered.map(({ id }) => id),
    sha256: signature.sha256,
    contentHash,
    keyId: signer.keyId,
  };
  await issuer.blobs.put(signature.sha256, pieces());
  await issuer.store.addSeries(series, await issuer.recorded(seriesIssued(series, preparer.userId)));
  // The outbox publishes it again where that fails.
  issuer.flush().catch(() => undefined);
  return { series, pieces };
}

function requireAdjacent(reports: readonly StoredReport[]): void {
  reports.forEach(({ id, from }, i) => {
    const before = reports[i - 1];
    if (before === undefined || before.to === from) return;
    throw new HttpRefusal(
      400,
      before.to < from
        ? `no report covers ${before.to} to ${from}: export that range too`
        : `reports ${before.id} and ${id} overlap from ${from} to ${before.to}: leave one of them out`,
    );
  });
}

/** The entry of a report, once its stored package has the bytes that were issued. */
async function entryOf({ store, blobs }: Issuer, { id, facts }: StoredReport): Promise<SeriesEntry> {
  const noted = await store.entryOf(id);
  if (noted === null)
    throw new HttpRefusal(400, `report ${id} has no entry for a series, as older ones: export its range again`);
  const body = await blobs.get(facts.sha256);
  if (body === null) {
    const now = await store.anyReport(id);
    if (now?.facts.withdrawn !== null) throw new HttpRefusal(404, `report ${id} was withdrawn: export its range again`);
    throw new Error(`the stored package of report ${id} is missing`);
  }
  if ((await hashOf(body)) !== noted.bodySha256)
    throw new Error(`the stored package of report ${id} is not the one that was issued`);
  return { ...noted.entry, sha256: facts.sha256, issuedAt: facts.createdAt };
}

/** SHA-256 of the bytes, a few at a time: others are answered in between. */
async function hashOf(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += HASHED_AT_ONCE) {
    hash.update(bytes.subarray(at, at + HASHED_AT_ONCE));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return hash.digest('hex');
}

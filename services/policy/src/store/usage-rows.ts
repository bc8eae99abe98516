import type { DocumentStore, Stored, Transaction } from '@countersign/document-store';
import { accountRecord, agentRecordOfUsage, claimRecord, claimVersion } from '../domain/usage-records.js';
import type { AccountTotals } from '../domain/usage.js';
import { sumOfPartitions } from '../domain/usage.js';
import { ACCOUNT_TOTALS, AGENT_TOTALS, CLAIMS } from './documents.js';
import type { UsageBody } from './documents.js';
import type { UsageRow } from './port.js';

const ALL = 2 ** 31 - 1;
/** Rows of one transaction: MongoDB ends one that takes too long. */
const RAISED_AT_ONCE = 500;

/** The rows of the topic `usage`, as documents. */
export class UsageRows {
  constructor(private readonly documents: DocumentStore) {}

  async unpublished(after: string, limit: number): Promise<readonly UsageRow[]> {
    const rows: UsageRow[] = [];
    const query = (above: string) =>
      ({ where: { unpublished: { above } }, by: 'unpublished', limit: limit - rows.length }) as const;
    if (after < 'account;') rows.push(...(await this.#accounts(idAfter(after, 'account:'), limit)));
    if (after < 'agent;' && rows.length < limit) {
      const found = await this.documents.find(AGENT_TOTALS, query(idAfter(after, 'agent:')));
      rows.push(...found.map(({ body }) => ({ ...agentRecordOfUsage(body.totals), version: body.revision })));
    }
    if (rows.length < limit) {
      const found = await this.documents.find(CLAIMS, query(after));
      rows.push(
        ...found.map(({ id: key, body: { claim, revision: version } }) => ({
          ...(claim === null ? { key, value: null } : claimRecord(claim)),
          version,
        })),
      );
    }
    return rows;
  }

  async published(rows: readonly UsageRow[]): Promise<void> {
    const of = (prefix: string): readonly UsageRow[] => rows.filter(({ key }) => key.startsWith(prefix));
    const [accounts, agents, claims] = [of('account:'), of('agent:'), of('claim:')];
    await this.documents.transact(async (transaction) => {
      const parts = await partsOf(transaction, accounts.map(idOf));
      const unchanged = accounts.flatMap((row) => {
        const own = parts.get(idOf(row)) ?? [];
        if (revisionOf(own) !== row.version) return [];
        return own.filter(({ body: { revision, published } }) => revision > published);
      });
      await transaction.put(ACCOUNT_TOTALS, unchanged.map(asPublished));
      const totals = await transaction.getMany(AGENT_TOTALS, agents.map(idOf));
      await transaction.put(AGENT_TOTALS, atVersions(totals, agents, idOf).map(asPublished));
      const stored = await transaction.getMany(CLAIMS, claims.map(keyOf));
      const same = atVersions(stored, claims, keyOf);
      await transaction.remove(
        CLAIMS,
        same.filter(({ body }) => body.claim === null),
      );
      await transaction.put(CLAIMS, same.filter(({ body }) => body.claim !== null).map(asPublished));
    });
  }

  async raise(versions: ReadonlyMap<string, number>): Promise<void> {
    const raises = [...versions].filter(([key]) => key.startsWith('account:') || key.startsWith('agent:'));
    for (let from = 0; from < raises.length; from += RAISED_AT_ONCE) {
      const some = new Map(raises.slice(from, from + RAISED_AT_ONCE));
      await this.documents.transact((transaction) => raiseRows(transaction, some));
    }
  }

  async endClaims(olderThanMs: number, limit: number): Promise<number> {
    const query = { where: { liveSinceMs: { below: olderThanMs } }, by: 'liveSinceMs', limit } as const;
    // Most often none is: that takes no transaction.
    if ((await this.documents.find(CLAIMS, { ...query, limit: 1 })).length === 0) return 0;
    return this.documents.transact(async (transaction) => {
      const old = await transaction.find(CLAIMS, query);
      const ended = old.map(({ id, version, body: { claim, published } }) => {
        const revision = claimVersion(claim!.occurredAtMs, true);
        return { id, version: version + 1, body: { claim: null, revision, published } };
      });
      await transaction.put(CLAIMS, ended);
      return ended.length;
    });
  }

  /**
   * At most `limit` accounts above the id, fewer only when there are no more: agents follow them in a sweep. An account has a
   * document for each partition, so one read of `limit` documents may find fewer accounts.
   */
  async #accounts(above: string, limit: number): Promise<readonly UsageRow[]> {
    const rows: UsageRow[] = [];
    for (let isLast = false; !isLast && rows.length < limit;) {
      const id = rows.length === 0 ? above : idOf(rows.at(-1)!);
      const found = await this.documents.transact((transaction) => findAccounts(transaction, id, limit));
      rows.push(...found.rows);
      ({ isLast } = found);
    }
    return rows.slice(0, limit);
  }
}

/**
 * Reads the accounts that `limit` changed documents belong to, each summed over all its partitions as of one moment.
 * `isLast`: no account above them has changed.
 */
async function findAccounts(
  transaction: Transaction,
  above: string,
  limit: number,
): Promise<{ readonly rows: readonly UsageRow[]; readonly isLast: boolean }> {
  const query = { where: { unpublished: { above } }, by: 'unpublished', limit } as const;
  const changed = await transaction.find(ACCOUNT_TOTALS, query);
  const parts = await partsOf(transaction, [...new Set(changed.map(({ body }) => body.totals.accountId))]);
  const rows = [...parts].map(([id, own]) => {
    const sum = sumOfPartitions(
      id,
      own.map(({ body }) => body.totals),
    );
    return { ...accountRecord(sum), version: revisionOf(own) };
  });
  return { rows, isLast: changed.length < limit };
}

async function raiseRows(transaction: Transaction, versions: ReadonlyMap<string, number>): Promise<void> {
  const ids = (prefix: string): readonly string[] =>
    [...versions.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  const parts = await partsOf(transaction, ids('account:'));
  const accounts = [...parts].flatMap(([id, own]) => {
    const missing = versions.get(`account:${id}`)! + 1 - revisionOf(own);
    return missing > 0 ? [raised(own[0]!, missing)] : [];
  });
  await transaction.put(ACCOUNT_TOTALS, accounts);
  const agents = [...(await transaction.getMany(AGENT_TOTALS, ids('agent:'))).values()].flatMap((stored) => {
    const missing = versions.get(`agent:${stored.id}`)! + 1 - stored.body.revision;
    return missing > 0 ? [raised(stored, missing)] : [];
  });
  await transaction.put(AGENT_TOTALS, agents);
}

type Part = Stored<UsageBody<AccountTotals>>;

/** The totals of each partition, by account, in the order of `accountIds`. */
async function partsOf(
  transaction: Transaction,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Part[]>> {
  const parts = new Map<string, Part[]>(accountIds.map((id) => [id, []]));
  if (accountIds.length === 0) return parts;
  const found = await transaction.find(ACCOUNT_TOTALS, { where: { accountId: { oneOf: accountIds } }, limit: ALL });
  for (const part of found) parts.get(part.body.totals.accountId)!.push(part);
  for (const [id, own] of parts) if (own.length === 0) parts.delete(id);
  return parts;
}

/** Of an account: it rises with every change of any part. */
function revisionOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { body }) => sum + body.revision, 0);
}

function asPublished<B extends { readonly revision: number }>({ id, version, body }: Stored<B>): Stored<B> {
  return { id, version: version + 1, body: { ...body, published: body.revision } };
}

function raised<T>({ id, version, body }: Stored<UsageBody<T>>, by: number): Stored<UsageBody<T>> {
  return { id, version: version + 1, body: { ...body, revision: body.revision + by } };
}

/** The documents of rows that have not changed since. */
function atVersions<B extends { readonly revision: number }>(
  stored: ReadonlyMap<string, Stored<B>>,
  rows: readonly UsageRow[],
  id: (row: UsageRow) => string,
): readonly Stored<B>[] {
  return rows.flatMap((row) => {
    const document = stored.get(id(row));
    return document?.body.revision === row.version ? [document] : [];
  });
}

const keyOf = ({ key }: UsageRow): string => key;
const idOf = ({ key }: UsageRow): string => key.slice(key.indexOf(':') + 1);

/** The id below which the rows of one kind were given: `;` follows `:`, so `account;` is above every `account:…`. */
function idAfter(after: string, prefix: string): string {
  return after.startsWith(prefix) ? after.slice(prefix.length) : '';
}

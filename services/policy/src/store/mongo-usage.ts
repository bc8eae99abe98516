import { accountRecord, agentRecordOfUsage, claimRecord, claimVersion } from '../domain/usage-records.js';
import { sumOfPartitions } from '../domain/usage.js';
import type { Claim } from '../domain/usage.js';
import { totalsOfPart } from './mongo-following.js';
import type {
  AccountUsageDocument,
  AgentUsageDocument,
  ClaimDocument,
  PolicyCollections,
} from './mongo-collections.js';
import type { UsageRow } from './port.js';

/** What `MongoPolicyStore` gives to the topic `usage`. A row is marked `changed` by the write that changes it. */
export class MongoUsage {
  constructor(private readonly collections: PolicyCollections) {}

  async positions(): Promise<Readonly<Record<number, number>>> {
    const documents = await this.collections.positions.find().toArray();
    return Object.fromEntries(documents.map(({ _id: partition, next }) => [partition, next]));
  }

  async unpublished(after: string, limit: number): Promise<readonly UsageRow[]> {
    const { accountUsage, agentUsage, claims } = this.collections;
    const rows: UsageRow[] = [];
    const among = (above: string) => ({ changed: true, _id: { $gt: above } }) as const;
    const options = () => ({ sort: { _id: 1 }, limit: limit - rows.length }) as const;
    if (after < 'account;') {
      const documents = await accountUsage.find(among(idAfter(after, 'account:')), options()).toArray();
      rows.push(...documents.map(accountRow));
    }
    if (after < 'agent;' && rows.length < limit) {
      const documents = await agentUsage.find(among(idAfter(after, 'agent:')), options()).toArray();
      rows.push(...documents.map(agentRow));
    }
    if (rows.length < limit) {
      const documents = await claims.find(among(after), options()).toArray();
      rows.push(...documents.map(claimRow));
    }
    return rows;
  }

  async published(rows: readonly UsageRow[]): Promise<void> {
    const unchanged = { $unset: { changed: '' } } as const;
    const of = (prefix: string) =>
      rows
        .filter(({ key }) => key.startsWith(prefix))
        .map(({ key, version }) => ({
          updateOne: { filter: { _id: key.slice(prefix.length), revision: version }, update: unchanged },
        }));
    const ofClaims = rows
      .filter(({ key }) => key.startsWith('claim:'))
      .map(({ key, version, value }) =>
        value === null
          ? { deleteOne: { filter: { _id: key, version } } }
          : { updateOne: { filter: { _id: key, version }, update: unchanged } },
      );
    const [accounts, agents] = [of('account:'), of('agent:')];
    const { accountUsage, agentUsage, claims } = this.collections;
    await Promise.all([
      accounts.length > 0 && accountUsage.bulkWrite(accounts, { ordered: false }),
      agents.length > 0 && agentUsage.bulkWrite(agents, { ordered: false }),
      ofClaims.length > 0 && claims.bulkWrite(ofClaims, { ordered: false }),
    ]);
  }

  async raise(versions: ReadonlyMap<string, number>): Promise<void> {
    const above = (prefix: string) =>
      [...versions]
        .filter(([key]) => key.startsWith(prefix))
        .map(([key, version]) => ({
          updateOne: {
            filter: { _id: key.slice(prefix.length), revision: { $lte: version } },
            update: { $set: { revision: version + 1, changed: true as const } },
          },
        }));
    const [accounts, agents] = [above('account:'), above('agent:')];
    const { accountUsage, agentUsage } = this.collections;
    if (accounts.length > 0) await accountUsage.bulkWrite(accounts, { ordered: false });
    if (agents.length > 0) await agentUsage.bulkWrite(agents, { ordered: false });
  }

  async endClaims(olderThanMs: number, limit: number): Promise<number> {
    const { claims } = this.collections;
    const old = await claims
      .find({ liveSinceMs: { $lt: olderThanMs } }, { projection: { version: 1, liveSinceMs: 1 }, limit })
      .sort({ liveSinceMs: 1 })
      .toArray();
    if (old.length === 0) return 0;
    const ended = await claims.bulkWrite(
      old.map(({ _id, version, liveSinceMs }) => ({
        updateOne: {
          filter: { _id, version },
          update: {
            $set: { claim: null, version: claimVersion(liveSinceMs!, true), changed: true as const },
            $unset: { liveSinceMs: '' as const },
          },
        },
      })),
      { ordered: false },
    );
    return ended.modifiedCount;
  }
}

function accountRow({ _id: id, parts, revision }: AccountUsageDocument): UsageRow {
  const each = Object.entries(parts).map(([partition, part]) => totalsOfPart(id, Number(partition), part));
  return { ...accountRecord(sumOfPartitions(id, each)), version: revision };
}

function agentRow({ _id: agentId, totals, revision }: AgentUsageDocument): UsageRow {
  return { ...agentRecordOfUsage({ agentId, ...totals }), version: revision };
}

function claimRow({ _id: key, claim, version }: ClaimDocument): UsageRow {
  return { ...(claim === null ? { key, value: null } : claimRecord(JSON.parse(claim) as Claim)), version };
}

/** The id below which the rows of one kind were given: `;` follows `:`, so `account;` is above every `account:…`. */
function idAfter(after: string, prefix: string): string {
  return after.startsWith(prefix) ? after.slice(prefix.length) : '';
}

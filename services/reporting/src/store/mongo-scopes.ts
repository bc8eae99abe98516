import type { mongo } from 'mongoose';
import type { ComplianceScope, DeclaredScope } from '@countersign/contracts';
import { isDuplicateKey, keepNewer } from '@countersign/service-kit';
import type { StoredScope } from './port.js';

export interface ScopeDocument {
  readonly _id: string;
  readonly body: string;
  /** Absent in what was declared before scopes were told. */
  readonly version?: number;
  readonly declaredAt?: string;
}

/** What accounts declared; each change is one write, with a version of its own. */
export class MongoScopes {
  readonly #collection: mongo.Collection<ScopeDocument>;

  constructor(collection: mongo.Collection<ScopeDocument>) {
    this.#collection = collection;
  }

  async scope(accountId: string): Promise<ComplianceScope> {
    const found = await this.#collection.findOne({ _id: accountId });
    return found === null ? {} : (JSON.parse(found.body) as ComplianceScope);
  }

  /** What a crash keeps from being told is told at the next start. */
  async put(accountId: string, { scope, declaredAt }: DeclaredScope): Promise<StoredScope> {
    for (;;) {
      const found = await this.#collection.findOne({ _id: accountId });
      const version = (found?.version ?? 0) + 1;
      const stored = { body: JSON.stringify(scope), version, declaredAt };
      if (await this.#replace(accountId, found, stored)) return { accountId, scope, declaredAt, version };
    }
  }

  /** `false` where another instance has written since it was read. */
  async #replace(
    accountId: string,
    read: ScopeDocument | null,
    stored: Required<Omit<ScopeDocument, '_id'>>,
  ): Promise<boolean> {
    if (read !== null) {
      const filter = { _id: accountId, version: read.version ?? { $exists: false } };
      return (await this.#collection.updateOne(filter, { $set: stored })).modifiedCount > 0;
    }
    try {
      await this.#collection.insertOne({ _id: accountId, ...stored });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  async all(): Promise<readonly StoredScope[]> {
    const found = await this.#collection.find({}).sort({ _id: 1 }).toArray();
    return found.map(({ _id, body, version = 0, declaredAt = '' }) => ({
      accountId: _id,
      scope: JSON.parse(body) as ComplianceScope,
      version,
      declaredAt,
    }));
  }

  async adopt({ accountId, scope, version, declaredAt }: StoredScope): Promise<void> {
    const newer = { $or: [{ version: { $lt: version } }, { version: { $exists: false } }] };
    const update = { $set: { body: JSON.stringify(scope), version, declaredAt } };
    await keepNewer(this.#collection, [{ updateOne: { filter: { _id: accountId, ...newer }, update, upsert: true } }]);
  }
}

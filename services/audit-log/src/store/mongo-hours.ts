import type { MongoClasses } from './mongo-classes.js';
import { uuid, uuidText, type Collections, type HourDocument } from './mongo-collections.js';
import { accountScope, agentScope } from './mongo-range-delta.js';
import type { HourlyCount, HourlyQuery } from './port.js';

/** Reads the counts of events by hour and class; each partition has its own. */
export class MongoHours {
  readonly #collections: Collections;
  readonly #classes: MongoClasses;

  constructor(collections: Collections, classes: MongoClasses) {
    this.#collections = collections;
    this.#classes = classes;
  }

  async count(accountId: string, query: HourlyQuery): Promise<readonly HourlyCount[]> {
    const { agentIds, filter, firstHour, endHour, hoursEach } = query;
    const [classes, scopes] = await Promise.all([this.#classes.named(filter), this.#scopes(accountId, agentIds)]);
    const counts = new Map<string, HourlyCount>();
    const documents = this.#collections.hours
      .find({ scope: { $in: [...scopes.keys()] }, hour: { $gte: firstHour, $lt: endHour } })
      .project<Pick<HourDocument, 'scope' | 'hour' | 'counts'>>({ _id: 0, scope: 1, hour: 1, counts: 1 });
    for await (const { scope, hour: at, counts: ofHour } of documents) {
      const hour = at - (((at % hoursEach) + hoursEach) % hoursEach);
      for (const [name, added] of Object.entries(ofHour)) {
        const kind = classes.get(name);
        if (kind === undefined) continue;
        const key = `${scope} ${hour} ${name}`;
        const count = (counts.get(key)?.count ?? 0) + added;
        counts.set(key, { agentId: scopes.get(scope)!, hour, class: kind, count });
      }
    }
    return [...counts.values()];
  }

  /** The agent of each scope; `null`: the account. Agents of other accounts are left out. */
  async #scopes(
    accountId: string,
    agentIds: readonly string[] | undefined,
  ): Promise<ReadonlyMap<string, string | null>> {
    if (agentIds === undefined) return new Map([[accountScope(accountId), null]]);
    const owned = await this.#collections.heads
      .find({ _id: { $in: agentIds.map(uuid) }, accountId }, { projection: { _id: 1 } })
      .toArray();
    return new Map(owned.map(({ _id }) => [agentScope(uuidText(_id)), uuidText(_id)]));
  }
}

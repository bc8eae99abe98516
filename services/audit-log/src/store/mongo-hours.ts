import type { MongoClasses } from './mongo-classes.js';
import type { mongo } from 'mongoose';
import {
  BY_ACCOUNT,
  BY_AGENT,
  BY_RULE,
  uuid,
  uuidText,
  type Collections,
  type HourDocument,
} from './mongo-collections.js';
import { accountScope, agentScope } from './mongo-range-delta.js';
import type { HourlyCount, HourlyQuery, StepCount, StepQuery } from './port.js';

interface StepGroup {
  readonly _id: { readonly at: number; readonly class: string; readonly agentId?: mongo.UUID; readonly rule?: string };
  readonly count: number;
}

/** Reads the counts of events by hour and class; each partition has its own. Counts events in shorter steps and by rule. */
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

  async countSteps(accountId: string, query: StepQuery): Promise<readonly StepCount[]> {
    const { agentIds, filter, fromMs, toMs, stepMs, byRule } = query;
    const [classes, agents] = await Promise.all([
      this.#classes.named(filter),
      agentIds === undefined ? null : this.#owned(accountId, agentIds),
    ]);
    const hint = byRule ? BY_RULE : agents === null ? BY_ACCOUNT : BY_AGENT;
    const groups = this.#collections.events.aggregate<StepGroup>(
      [
        {
          $match: {
            ...(hint === BY_AGENT ? {} : { accountId }),
            ...(agents === null ? {} : { agentId: { $in: agents } }),
            at: { $gte: fromMs, $lt: toMs },
            class: { $in: [...classes.keys()] },
            // A comparison, in place of `$exists`, is answered by the index alone.
            ...(byRule ? { rule: { $gte: '' } } : {}),
          },
        },
        {
          $group: {
            _id: {
              at: { $multiply: [{ $floor: { $divide: ['$at', stepMs] } }, stepMs] },
              class: '$class',
              ...(agents === null ? {} : { agentId: '$agentId' }),
              ...(byRule ? { rule: '$rule' } : {}),
            },
            count: { $sum: 1 },
          },
        },
      ],
      { hint },
    );
    const counts: StepCount[] = [];
    for await (const { _id, count } of groups) {
      const agentId = _id.agentId === undefined ? null : uuidText(_id.agentId);
      counts.push({ agentId, at: _id.at, class: classes.get(_id.class)!, rule: _id.rule ?? null, count });
    }
    return counts;
  }

  /** The agent of each scope; `null`: the account. Agents of other accounts are left out. */
  async #scopes(
    accountId: string,
    agentIds: readonly string[] | undefined,
  ): Promise<ReadonlyMap<string, string | null>> {
    if (agentIds === undefined) return new Map([[accountScope(accountId), null]]);
    const owned = await this.#owned(accountId, agentIds);
    return new Map(owned.map((id) => [agentScope(uuidText(id)), uuidText(id)]));
  }

  /** Those of the agents that are of the account. */
  async #owned(accountId: string, agentIds: readonly string[]): Promise<readonly mongo.UUID[]> {
    const owned = await this.#collections.heads
      .find({ _id: { $in: agentIds.map(uuid) }, accountId }, { projection: { _id: 1 } })
      .toArray();
    return owned.map(({ _id }) => _id);
  }
}

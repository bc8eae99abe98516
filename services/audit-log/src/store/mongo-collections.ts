import { mongo } from 'mongoose';
import { duplicatesOf } from '@countersign/document-store';

/** A leaf. `leaf`, `facts` and `openings` are JSON texts: as BSON, members and numbers would change. */
export interface EventDocument {
  readonly _id: mongo.UUID;
  readonly agentId: mongo.UUID;
  readonly sequence: number;
  readonly accountId: string;
  /** `occurredAt`, ms since the epoch. */
  readonly at: number;
  readonly partition: number;
  readonly offset: number;
  /** Name of the class: {@link ClassDocument}. */
  readonly class: string;
  /** Only where it is so: the index of the inbox holds no others. */
  readonly blocked?: true;
  readonly refersTo?: mongo.UUID;
  /** Trace id of the context, deleted with the openings. */
  readonly trace?: string;
  /** That of the leaf, where it has one. */
  readonly rule?: string;
  /** The canonical text, exactly as hashed. */
  readonly leaf: string;
  /** The envelope without leaf and openings. */
  readonly facts: string;
  /**
   * Deleted by an erasure. In the event's document, which is only ever inserted: an instance that stores the event once
   * more cannot bring them back.
   */
  readonly openings?: string;
  /** By an order or by retention. */
  readonly erased?: true;
  /** An order took the content; `'untold'` until the keeper of copies has acknowledged it. */
  readonly order?: 'untold' | 'told';
}

/** Counts the leaves of one partition below the offset `applied`. */
export interface Tally<Id> {
  readonly _id: Id;
  readonly applied: number;
}

export interface HeadDocument extends Tally<mongo.UUID> {
  readonly accountId: string;
  readonly sequence: number;
  readonly checks: number;
  readonly toldSequence: number;
  /** Absent when published: the index of unpublished heads holds no others. */
  readonly untold?: true;
}

/** Leaves of an agent or an account (`scope`) in an hour since the epoch, `counts` by the name of their class. */
export interface HourDocument extends Tally<string> {
  readonly scope: string;
  readonly hour: number;
  readonly total: number;
  readonly counts: Readonly<Record<string, number>>;
}

/** Blocked leaves of an account in one partition. */
export interface BlockedDocument extends Tally<string> {
  readonly accountId: string;
  readonly partition: number;
  readonly count: number;
}

/** Acknowledgement of an account: by partition, the offset up to which, and how many. */
export interface InboxDocument {
  readonly _id: string;
  readonly acknowledgedAt: string;
  readonly through?: Readonly<Record<string, { readonly offset: number; readonly count: number }>>;
}

/** `_id`: a name without dots, as counts are kept by it. */
export interface ClassDocument {
  readonly _id: string;
  readonly type: string;
  readonly outcome: string | null;
  readonly allowed: boolean | null;
  readonly violationType: string | null;
}

/** `_id`: `<topic>/<partition>` */
export interface PositionDocument {
  readonly _id: string;
  readonly topic: string;
  readonly partition: number;
  readonly next: number;
}

export interface WindowDocument {
  readonly _id: string;
  readonly windowStart: string;
  readonly windowEnd: string;
  readonly merkleRoot: string;
  readonly txSignature: string;
  readonly blockHeight: number;
  readonly anchoredAt: string;
}

/** `_id`: `<agent>/<first>` */
export interface AgentWindowDocument {
  readonly _id: string;
  readonly agentId: mongo.UUID;
  readonly first: number;
  readonly last: number;
  readonly windowId: string;
}

/** `_id`: the agent. Retention has taken the content of its checks up to there. */
export interface RetainedDocument {
  readonly _id: mongo.UUID;
  readonly sequence: number;
}

/** The one document of what retention knows; `turn` rises with each change. */
export interface RetentionDocument {
  readonly _id: 'state';
  readonly turn: number;
  readonly body: string;
}

/** The anchored sequence ranges that touch a run of {@link RUN} sequences; `_id`: `<agent>/<run>`. */
export interface AnchoredRunDocument {
  readonly _id: string;
  readonly stretches: readonly { readonly first: number; readonly last: number }[];
}

/** Sequences of an agent in one {@link AnchoredRunDocument}. */
export const RUN = 512;

export interface Collections {
  readonly events: mongo.Collection<EventDocument>;
  readonly heads: mongo.Collection<HeadDocument>;
  readonly hours: mongo.Collection<HourDocument>;
  readonly blocked: mongo.Collection<BlockedDocument>;
  readonly inboxes: mongo.Collection<InboxDocument>;
  readonly classes: mongo.Collection<ClassDocument>;
  readonly positions: mongo.Collection<PositionDocument>;
  readonly windows: mongo.Collection<WindowDocument>;
  readonly agentWindows: mongo.Collection<AgentWindowDocument>;
  readonly anchoredRuns: mongo.Collection<AnchoredRunDocument>;
  readonly retained: mongo.Collection<RetainedDocument>;
  readonly retention: mongo.Collection<RetentionDocument>;
}

/**
 * Collections of the driver: batches of a thousand leaves want no model between.
 * @param suffix ends the names, see `Generation`
 */
export function collectionsOf(db: mongo.Db, suffix: string): Collections {
  const of = <T extends mongo.Document>(name: string): mongo.Collection<T> =>
    db.collection<T>(`audit_log_${name}${suffix}`);
  return {
    events: of('events'),
    heads: of('heads'),
    hours: of('hours'),
    blocked: of('blocked'),
    inboxes: of('inboxes'),
    classes: of('classes'),
    positions: of('positions'),
    windows: of('windows'),
    agentWindows: of('agent_windows'),
    anchoredRuns: of('anchored_runs'),
    retained: of('retained'),
    retention: of('retention'),
  };
}

/** Names of the indexes that reads ask for by name. */
export const BY_ACCOUNT = 'by_account';
export const BY_AGENT = 'by_agent';
export const BY_PLACE = 'by_place';
export const BLOCKED = 'blocked';
export const BY_TRACE = 'by_trace';
export const BY_RULE = 'by_rule';
export const DENIED_BY_PEOPLE = 'denied_by_people';

/** Makes what is not there; an index of the same name and other keys is an error. */
export async function createIndexes({
  events,
  heads,
  hours,
  blocked,
  windows,
  agentWindows,
}: Collections): Promise<void> {
  await Promise.all([
    events.createIndexes([
      { key: { agentId: 1, sequence: 1 }, name: 'by_sequence', unique: true },
      // The order of the log, in which an inspection and the live feed read.
      { key: { partition: 1, offset: 1 }, name: BY_PLACE },
      // The class stands last: pages come in order without sorting, and no document is read for what is left out.
      { key: { accountId: 1, at: 1, offset: 1, partition: 1, class: 1 }, name: BY_ACCOUNT },
      { key: { agentId: 1, at: 1, sequence: 1, class: 1 }, name: BY_AGENT },
      {
        key: { accountId: 1, at: 1, offset: 1, partition: 1 },
        name: BLOCKED,
        partialFilterExpression: { blocked: true },
      },
      // Blocked leaves that the inbox does not show: see `isBlocked`.
      {
        key: { accountId: 1, partition: 1, offset: 1 },
        name: DENIED_BY_PEOPLE,
        partialFilterExpression: { blocked: true, refersTo: { $exists: true } },
      },
      {
        key: { order: 1, agentId: 1, sequence: 1 },
        name: 'by_order',
        partialFilterExpression: { order: { $exists: true } },
      },
      { key: { refersTo: 1 }, name: 'referring', partialFilterExpression: { refersTo: { $exists: true } } },
    ]),
    heads.createIndexes([{ key: { untold: 1 }, name: 'untold', partialFilterExpression: { untold: true } }]),
    hours.createIndexes([{ key: { scope: 1, hour: 1 }, name: 'by_scope' }]),
    blocked.createIndexes([{ key: { accountId: 1 }, name: 'by_account' }]),
    windows.createIndexes([
      { key: { merkleRoot: 1 }, name: 'by_root' },
      { key: { txSignature: 1 }, name: 'by_transaction' },
    ]),
    agentWindows.createIndexes([
      { key: { agentId: 1, last: 1 }, name: 'by_agent' },
      { key: { windowId: 1, agentId: 1 }, name: 'by_window' },
    ]),
  ]);
}

export function uuid(text: string): mongo.UUID {
  return new mongo.UUID(text);
}

/** Lower case, with its hyphens. */
export function uuidText(id: mongo.UUID): string {
  return id.toHexString(true);
}

/** Inserts what is not there by its `_id`, and leaves the rest as it is. */
export async function insertNew<T extends mongo.Document>(
  collection: mongo.Collection<T>,
  documents: readonly T[],
): Promise<void> {
  if (documents.length === 0) return;
  await collection
    .insertMany(documents as readonly mongo.OptionalUnlessRequiredId<T>[], { ordered: false })
    .catch(duplicatesOf);
}

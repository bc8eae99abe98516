import type { TopicName } from '@countersign/contracts';
import { inspectMongoDocuments, inspectSqliteDocuments, settledProblems } from '@countersign/document-store';
import type { DocumentInspection, OwnedDocument, Problem, StoreInspection } from '@countersign/document-store';
import { ACCOUNTS, API_KEYS, COLLECTIONS, KEY_USES, POSITIONS, SESSIONS, USERS } from './documents.js';
import type { UserBody } from './documents.js';
import { SERVICE } from './open.js';

/** The stored data, read for `fsck`. */
export interface IdentityInspection extends StoreInspection {
  /** Every API key, with its last use as far as the log was followed. */
  keyUses(): AsyncIterable<{ readonly id: string; readonly lastUsedAt: string | null }>;
}

/**
 * Opens the store of a stopped instance by its file, or of an installation that may be running by its database.
 * @throws OtherLayout
 */
export async function inspectIdentity(
  source: { readonly file: string } | { readonly uri: string },
): Promise<IdentityInspection> {
  if ('file' in source) return new Inspection(inspectSqliteDocuments(source.file, COLLECTIONS), true);
  return new Inspection(await inspectMongoDocuments(source.uri, SERVICE, COLLECTIONS), false);
}

const OWNED: { readonly [topic in TopicName]?: typeof ACCOUNTS } = {
  accounts: ACCOUNTS,
  'api-keys': API_KEYS as never,
  sessions: SESSIONS as never,
};

class Inspection implements IdentityInspection {
  /** @param isStopped no other process has the store open */
  constructor(
    private readonly documents: DocumentInspection,
    private readonly isStopped: boolean,
  ) {}

  async *owned(topic: TopicName): AsyncIterable<OwnedDocument> {
    const collection = OWNED[topic];
    if (collection === undefined) return;
    for await (const { id, version, body } of this.documents.documents(collection)) yield { id, version, value: body };
  }

  async *keyUses(): AsyncIterable<{ readonly id: string; readonly lastUsedAt: string | null }> {
    const uses = new Map<string, string>();
    for await (const { id, body } of this.documents.documents(KEY_USES)) uses.set(id, body.lastUsedAt);
    for await (const { id } of this.documents.documents(API_KEYS)) yield { id, lastUsedAt: uses.get(id) ?? null };
  }

  async positions(topic: TopicName): Promise<ReadonlyMap<number, number>> {
    const positions = new Map<number, number>();
    if (topic !== 'agent-events') return positions;
    for await (const { id, body } of this.documents.documents(POSITIONS)) positions.set(Number(id), body.next);
    return positions;
  }

  outbox(): ReturnType<DocumentInspection['outbox']> {
    return this.documents.outbox();
  }

  raises(): ReturnType<DocumentInspection['raises']> {
    return this.documents.raises();
  }

  async *problems(): AsyncIterable<Problem> {
    yield* this.documents.problems();
    yield* settledProblems(() => this.#disagreements());
  }

  close(): Promise<void> {
    return this.documents.close();
  }

  /** Contradictions between documents, by location. */
  async #disagreements(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const accounts = new Map<string, { hasAdmin: boolean }>();
    const users = new Map<string, UserBody>();
    for await (const { id } of this.documents.documents(ACCOUNTS)) accounts.set(id, { hasAdmin: false });
    for await (const { id, body } of this.documents.documents(USERS)) {
      users.set(id, body);
      const account = accounts.get(body.accountId);
      if (account === undefined) found.set(`users ${id}`, 'its accountId names nothing in accounts');
      else if (body.role === 'admin') account.hasAdmin = true;
      if (!hasForm(body))
        found.set(`users ${id}`, 'role, e-mail address, password hash or time do not have their form');
    }
    for (const [id, { hasAdmin }] of accounts) {
      if (!hasAdmin) found.set(`accounts ${id}`, 'no user of it is an admin');
    }
    for await (const { id, body } of this.documents.documents(API_KEYS)) {
      if (!accounts.has(body.accountId)) found.set(`api_keys ${id}`, 'its accountId names nothing in accounts');
    }
    // A database that was restored from an older copy has sessions from the topic whose users it lacks.
    if (!this.isStopped) return found;
    for await (const { id, body } of this.documents.documents(SESSIONS)) {
      if (body.revokedAt !== null) continue;
      const user = users.get(body.userId);
      const fits = user?.accountId === body.accountId && user.email === body.email && user.role === body.role;
      if (!fits) found.set(`sessions ${id}`, 'it is open, and its user is another one, or is gone');
    }
    return found;
  }
}

const ROLES: ReadonlySet<string> = new Set(['auditor', 'member', 'admin']);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function hasForm({ role, email, passwordHash, createdAt }: UserBody): boolean {
  const isAddress = /.@./s.test(email) && email === email.toLowerCase();
  return ROLES.has(role) && isAddress && passwordHash.startsWith('$') && TIME.test(createdAt);
}

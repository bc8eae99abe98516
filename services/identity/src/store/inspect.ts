import type { TopicName } from '@countersign/contracts';
import { InspectedDocuments, inspectDocuments } from '@countersign/document-store';
import type { InspectionSource, OwnedDocument, StoreInspection } from '@countersign/document-store';
import { isActingAdmin } from '../domain/members.js';
import { isSecondFactor } from '../domain/second-factor.js';
import { ACCOUNTS, API_KEYS, COLLECTIONS, KEY_USES, SESSIONS, USERS } from './documents.js';
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
export async function inspectIdentity(source: InspectionSource): Promise<IdentityInspection> {
  const documents = await inspectDocuments(source, SERVICE, COLLECTIONS);
  return new Inspection(documents, 'agent-events', 'file' in source);
}

const OWNED: { readonly [topic in TopicName]?: typeof ACCOUNTS } = {
  accounts: ACCOUNTS,
  'api-keys': API_KEYS as never,
  sessions: SESSIONS as never,
};

class Inspection extends InspectedDocuments implements IdentityInspection {
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

  /** Contradictions between documents, by location. */
  protected async disagreements(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const accounts = new Map<string, { hasAdmin: boolean }>();
    const users = new Map<string, UserBody>();
    for await (const { id } of this.documents.documents(ACCOUNTS)) accounts.set(id, { hasAdmin: false });
    for await (const { id, body } of this.documents.documents(USERS)) {
      users.set(id, body);
      const account = accounts.get(body.accountId);
      if (account === undefined) found.set(`users ${id}`, 'its accountId names nothing in accounts');
      else if (isActingAdmin(body)) account.hasAdmin = true;
      if (!hasForm(body))
        found.set(`users ${id}`, 'role, e-mail address, password hash or time do not have their form');
      if (body.secondFactor !== undefined && !isSecondFactor(body.secondFactor))
        found.set(`users ${id}`, 'the second factor does not have its form');
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

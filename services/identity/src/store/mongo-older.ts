import { olderDocuments, POSITIONS, START_OLDER_ONCE } from '@countersign/document-store';
import type { OlderLayout, OlderRow, Stored } from '@countersign/document-store';
import type { AccountFacts, ApiKeyFacts, Role, SessionFacts } from '@countersign/contracts';
import { ACCOUNTS, API_KEYS, KEY_USES, MEMBERS, SESSIONS, SIGN_IN_PLACES, USERS } from './documents.js';

interface Row extends OlderRow {
  readonly _id: string;
  readonly version: number;
  /** Set on removal: the document stayed for a day. */
  readonly goneAt?: Date;
}
interface FactsRow extends Row {
  /** JSON. */
  readonly facts: string;
}
interface AccountRow extends FactsRow {
  readonly membersVersion?: number;
}
interface ApiKeyRow extends FactsRow {
  readonly lastUsedAt: string | null;
}
interface PlaceRow extends Row {
  readonly atMs: number;
}
interface PositionRow extends OlderRow {
  readonly next: number;
}
interface UserRow extends Row {
  readonly accountId: string;
  readonly email: string;
  readonly role: Role;
  readonly passwordHash: string;
  readonly createdAt: string;
}

/**
 * The layout before documents, where every change went through one head document. Unpublished records are published
 * by the comparison of the topics with the store; recent failed sign-ins are dropped.
 */
export const HEAD_LAYOUT: OlderLayout = {
  name: 'head',
  collections: [
    'identity_accounts',
    'identity_users',
    'identity_api_keys',
    'identity_sessions',
    'identity_told',
    'identity_positions',
    'identity_login_failures',
    'identity_sign_in_places',
    'identity_head',
  ],
  async problem(read) {
    for await (const { change } of read<Row & { change: object | null }>('identity_head', { _id: 1 })) {
      return change === null ? null : `the last change of accounts was interrupted: ${START_OLDER_ONCE}`;
    }
    return 'MongoDB collection identity_head is empty: restore a backup';
  },
  async *documents(read) {
    const accounts = (): AsyncIterable<AccountRow> => read('identity_accounts', { at: 1, _id: 1 });
    const apiKeys = (): AsyncIterable<ApiKeyRow> => read('identity_api_keys', { order: 1 });

    yield* olderDocuments(ACCOUNTS, accounts(), (row) => stored(row, JSON.parse(row.facts) as AccountFacts));
    yield* olderDocuments(MEMBERS, accounts(), ({ _id: id, membersVersion = 0 }) =>
      membersVersion === 0 ? null : { id, version: membersVersion, body: {} },
    );
    yield* olderDocuments(USERS, read<UserRow>('identity_users', { order: 1 }), (row) => {
      const { goneAt, accountId, email, role, passwordHash, createdAt } = row;
      return goneAt === undefined ? stored(row, { accountId, email, role, passwordHash, createdAt }) : null;
    });
    yield* olderDocuments(API_KEYS, apiKeys(), (row) => stored(row, JSON.parse(row.facts) as ApiKeyFacts));
    yield* olderDocuments(KEY_USES, apiKeys(), ({ _id: id, lastUsedAt }) =>
      lastUsedAt === null ? null : { id, version: 1, body: { lastUsedAt } },
    );
    yield* olderDocuments(SESSIONS, read<FactsRow>('identity_sessions', { at: 1, _id: 1 }), (row) =>
      row.goneAt === undefined ? stored(row, JSON.parse(row.facts) as SessionFacts) : null,
    );
    yield* olderDocuments(
      SIGN_IN_PLACES,
      read<PlaceRow>('identity_sign_in_places', { _id: 1 }),
      ({ _id: id, atMs }) => ({
        id,
        version: 1,
        body: { atMs },
      }),
    );
    yield* olderDocuments(POSITIONS, read<PositionRow>('identity_positions', { _id: 1 }), ({ _id: id, next }) => ({
      id: String(id),
      version: 1,
      body: { next },
    }));
  },
};

function stored<B>({ _id: id, version }: Row, body: B): Stored<B> {
  return { id, version, body };
}

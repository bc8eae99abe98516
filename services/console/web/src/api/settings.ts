import { useMutation, useQuery } from '@tanstack/react-query';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type {
  AccountRecord,
  ApiKeyRecord,
  InvitationRecord,
  NewApiKey,
  OpenSessionRecord,
  PasswordLinkRecord,
  Role,
  UserRecord,
} from '@countersign/contracts';
import { ask } from './ask.js';
import { client } from './client.js';

const KEYS = ['api-keys'];
const PEOPLE = ['users'];
const MOST = 1000;

/** API keys of the account, revoked ones included, newest first; at most 1,000. */
export function useApiKeys(): UseQueryResult<readonly ApiKeyRecord[]> {
  return useQuery({
    queryKey: KEYS,
    queryFn: async ({ signal }) =>
      (await ask<{ apiKeys: readonly ApiKeyRecord[] }>('/v1/api-keys', { query: { limit: MOST }, signal })).apiKeys,
  });
}

/** Issues a key. The answer holds it, and is not kept once its screen is left. */
export function useNewApiKey(): UseMutationResult<{ readonly key: string }, Error, NewApiKey> {
  return useMutation({
    mutationFn: (body) => ask<{ readonly key: string }>('/v1/api-keys', { method: 'POST', body }),
    onSuccess: () => client.invalidateQueries({ queryKey: KEYS }),
    gcTime: 0,
  });
}

export async function revokeApiKey(id: string): Promise<void> {
  await ask(`/v1/api-keys/${encodeURIComponent(id)}`, { method: 'DELETE' });
  await client.invalidateQueries({ queryKey: KEYS });
}

/** Users of the account, newest first; at most 1,000. */
export function usePeople(isAllowed = true): UseQueryResult<readonly UserRecord[]> {
  return useQuery({
    queryKey: PEOPLE,
    enabled: isAllowed,
    queryFn: async ({ signal }) =>
      (await ask<{ users: readonly UserRecord[] }>('/v1/users', { query: { limit: MOST }, signal })).users,
  });
}

export interface NewPerson {
  readonly email: string;
  readonly role: Role;
}

/** Invites a person. The answer may hold the link, and is not kept once its screen is left. */
export function useInvitation(): UseMutationResult<InvitationRecord, Error, NewPerson> {
  return useMutation({
    mutationFn: (body) => ask<InvitationRecord>('/v1/invitations', { method: 'POST', body }),
    onSettled: () => client.invalidateQueries({ queryKey: PEOPLE }),
    gcTime: 0,
  });
}

/** Makes a link by which the user of this id sets a new password; as `useInvitation`. */
export function usePasswordLink(): UseMutationResult<PasswordLinkRecord, Error, string> {
  return useMutation({
    mutationFn: (id) =>
      ask<PasswordLinkRecord>(`/v1/users/${encodeURIComponent(id)}/password-link`, { method: 'POST' }),
    gcTime: 0,
  });
}

const SESSIONS = ['sessions'];

/** Open sessions of the signed-in user, newest first; at most 1,000. */
export function useOpenSessions(): UseQueryResult<readonly OpenSessionRecord[]> {
  return useQuery({
    queryKey: SESSIONS,
    queryFn: async ({ signal }) =>
      (await ask<{ sessions: readonly OpenSessionRecord[] }>('/v1/sessions', { query: { limit: MOST }, signal }))
        .sessions,
  });
}

export function useEndSession(): UseMutationResult<void, Error, string> {
  return useMutation({
    mutationFn: (id) => ask<void>(`/v1/sessions/${encodeURIComponent(id)}`, { method: 'DELETE' }),
    onSettled: () => client.invalidateQueries({ queryKey: SESSIONS }),
  });
}

export function useSetRole(): UseMutationResult<UserRecord, Error, { readonly id: string; readonly role: Role }> {
  return useMutation({
    mutationFn: ({ id, role }) =>
      ask<UserRecord>(`/v1/users/${encodeURIComponent(id)}`, { method: 'PATCH', body: { role } }),
    onSettled: () => client.invalidateQueries({ queryKey: PEOPLE }),
  });
}

export async function removePerson(id: string): Promise<void> {
  await ask(`/v1/users/${encodeURIComponent(id)}`, { method: 'DELETE' });
  await client.invalidateQueries({ queryKey: PEOPLE });
}

export function useAccount(): UseQueryResult<AccountRecord> {
  return useQuery({ queryKey: ['account'], queryFn: ({ signal }) => ask<AccountRecord>('/v1/account', { signal }) });
}

export interface SigningKeys {
  readonly keys: readonly {
    readonly id: string;
    readonly status: 'published' | 'active' | 'retired' | 'revoked';
    readonly validFrom: string | null;
    readonly validTo: string | null;
  }[];
  readonly activeKeyId: string;
  readonly anchorAuthorities: readonly { readonly address: string; readonly network: string }[];
}

/** The keys that sign reports, and who anchors: public. */
export function useSigningKeys(): UseQueryResult<SigningKeys> {
  return useQuery({ queryKey: ['signing-keys'], queryFn: ({ signal }) => ask<SigningKeys>('/v1/keys', { signal }) });
}

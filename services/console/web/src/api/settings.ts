import { useMutation, useQuery } from '@tanstack/react-query';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { AccountRecord, ApiKeyRecord, NewApiKey, Role, UserRecord } from '@countersign/contracts';
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
export function usePeople(): UseQueryResult<readonly UserRecord[]> {
  return useQuery({
    queryKey: PEOPLE,
    queryFn: async ({ signal }) =>
      (await ask<{ users: readonly UserRecord[] }>('/v1/users', { query: { limit: MOST }, signal })).users,
  });
}

export interface NewPerson {
  readonly email: string;
  readonly role: Role;
  readonly password: string;
}

export function useNewPerson(): UseMutationResult<UserRecord, Error, NewPerson> {
  return useMutation({
    mutationFn: (body) => ask<UserRecord>('/v1/users', { method: 'POST', body }),
    onSuccess: () => client.invalidateQueries({ queryKey: PEOPLE }),
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

import { useMutation, useQuery } from '@tanstack/react-query';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { BrowserSession } from '@countersign/contracts';
import { ask, AskError } from './ask.js';
import { client } from './client.js';

const KEY = ['session'];

/** `null`: there is no session. */
export function useSession(): UseQueryResult<BrowserSession | null> {
  return useQuery({ queryKey: KEY, queryFn: ({ signal }) => readSession(signal), staleTime: 60_000 });
}

async function readSession(signal: AbortSignal): Promise<BrowserSession | null> {
  try {
    return await ask<BrowserSession>('/v1/session', { signal });
  } catch (error) {
    if (error instanceof AskError && error.status === 401) return null;
    throw error;
  }
}

export type Credentials = { readonly email: string; readonly password: string } | { readonly oneTimeToken: string };

export function useSignIn(): UseMutationResult<BrowserSession, Error, Credentials> {
  return useMutation({
    mutationFn: (body) => ask<BrowserSession>('/v1/session', { method: 'POST', body }),
    onSuccess: showSession,
  });
}

/** Shows the screens of a session that was opened; nothing that was read before is kept. */
export async function showSession(session: BrowserSession): Promise<void> {
  // An answer that is still under way is of the time before.
  await client.cancelQueries();
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
  client.setQueryData(KEY, session);
}

export interface PasswordChange {
  readonly currentPassword: string;
  readonly newPassword: string;
}

export function useChangePassword(): UseMutationResult<void, Error, PasswordChange> {
  return useMutation({ mutationFn: (body) => ask<void>('/v1/auth/password', { method: 'POST', body }) });
}

/** Sets the password of a link's user. The answer to a wrong link is shown: it does not end the session of the page. */
export function useSetPassword(): UseMutationResult<
  void,
  Error,
  { readonly token: string; readonly newPassword: string }
> {
  return useMutation({
    mutationFn: (body) => ask<void>('/v1/auth/password/by-link', { method: 'POST', body }),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
    gcTime: 0,
  });
}

/** How the last session ended. */
export type Ended = 'signed-out' | 'expired' | 'idle';

let ended: Ended | null = null;
const tabs = new BroadcastChannel('countersign-session');
tabs.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (data === 'signed-out' || data === 'idle') forget(data);
});

/** @returns `null` if there was no session since the page was loaded */
export function howEnded(): Ended | null {
  return ended;
}

/** Shows the sign-in screen, and drops everything that was read. */
function forget(reason: Ended): void {
  ended = reason;
  client.setQueryData(KEY, null);
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
}

/** Shows the sign-in screen: the server refused the session of this page. */
export function sessionEnded(): void {
  if ((client.getQueryData(KEY) ?? null) !== null) forget('expired');
}

/** An answer with 401: the session has ended elsewhere. */
function judge(error: unknown): void {
  if (error instanceof AskError && error.status === 401) sessionEnded();
}
client.getQueryCache().subscribe((event) => {
  if (event.type === 'updated' && event.action.type === 'error') judge(event.action.error);
});
client.getMutationCache().subscribe((event) => {
  if (event.type === 'updated' && event.action.type === 'error') judge(event.action.error);
});

/** Ends the session, here and in all tabs; what was read is dropped even if the server cannot be reached. */
export async function signOut(reason: 'signed-out' | 'idle' = 'signed-out'): Promise<void> {
  try {
    await ask<void>('/v1/session', { method: 'DELETE' });
  } catch (error) {
    if (!(error instanceof AskError && error.status === 401)) throw error;
  }
  tabs.postMessage(reason);
  forget(reason);
}

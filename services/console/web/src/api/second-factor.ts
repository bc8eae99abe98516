import { useMutation, useQuery } from '@tanstack/react-query';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type {
  BrowserSession,
  NextStep,
  SecondFactorEnrolment,
  SecondFactorState,
  WithRecoveryCodes,
} from '@countersign/contracts';
import { ask, AskError } from './ask.js';
import { client } from './client.js';

const STATE = ['second-factor'];
const PATH = '/v1/second-factor';

/** The second step of a sign-in, if its failure names one. */
export function nextStepOf(error: unknown): NextStep | null {
  if (!(error instanceof AskError) || error.status !== 403) return null;
  const { body } = error;
  if (typeof body !== 'object' || body === null || !('secondFactor' in body)) return null;
  return body.secondFactor as NextStep;
}

export interface SecondStep {
  readonly secondFactorToken: string;
  readonly code: string;
  readonly enrolment?: string;
}

/** Completes a sign-in. The page shows its session once `showSession` is called: recovery codes are shown before. */
export function useFinishSignIn(): UseMutationResult<BrowserSession & WithRecoveryCodes, Error, SecondStep> {
  return useMutation({
    mutationFn: (body) => ask<BrowserSession & WithRecoveryCodes>('/v1/session', { method: 'POST', body }),
    gcTime: 0,
  });
}

/** A secret to enrol at the sign-in; it is made once for a token. */
export function useEnrolmentAtSignIn(token: string): UseQueryResult<SecondFactorEnrolment> {
  return useQuery({
    queryKey: [...STATE, 'enrolment', token],
    queryFn: ({ signal }) =>
      ask<SecondFactorEnrolment>('/v1/auth/second-factor/enrolment', { method: 'POST', body: { token }, signal }),
    staleTime: Infinity,
    gcTime: 0,
  });
}

export function useSecondFactor(): UseQueryResult<SecondFactorState> {
  return useQuery({ queryKey: STATE, queryFn: ({ signal }) => ask<SecondFactorState>(PATH, { signal }) });
}

export function useBeginEnrolment(): UseMutationResult<SecondFactorEnrolment, Error, string> {
  return useMutation({
    mutationFn: (password) => ask<SecondFactorEnrolment>(`${PATH}/enrolment`, { method: 'POST', body: { password } }),
    gcTime: 0,
  });
}

interface Codes {
  readonly recoveryCodes: readonly string[];
}

const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: STATE });

/** Enrols the second factor. The answer holds the recovery codes, and is not kept once its dialog is closed. */
export function useEnrol(): UseMutationResult<Codes, Error, { readonly enrolment: string; readonly code: string }> {
  return useMutation({
    mutationFn: (body) => ask<Codes>(PATH, { method: 'POST', body }),
    onSuccess: refresh,
    gcTime: 0,
  });
}

/** As `useEnrol`, for other recovery codes. */
export function useRenewCodes(): UseMutationResult<Codes, Error, string> {
  return useMutation({
    mutationFn: (code) => ask<Codes>(`${PATH}/recovery-codes`, { method: 'POST', body: { code } }),
    onSuccess: refresh,
    gcTime: 0,
  });
}

export function useRemoveFactor(): UseMutationResult<void, Error, string> {
  return useMutation({
    mutationFn: (code) => ask<void>(`${PATH}/removal`, { method: 'POST', body: { code } }),
    onSuccess: refresh,
  });
}

/** Sets whether each user of the account needs a second factor. */
export function useRequirement(): UseMutationResult<void, Error, boolean> {
  return useMutation({
    scope: { id: 'second-factor-requirement' },
    mutationFn: (required) => ask<void>(`${PATH}/requirement`, { method: 'PUT', body: { required } }),
    onSettled: refresh,
  });
}

export async function resetFactor(userId: string): Promise<void> {
  await ask(`/v1/users/${encodeURIComponent(userId)}/second-factor`, { method: 'DELETE' });
  await client.invalidateQueries({ queryKey: ['users'] });
}

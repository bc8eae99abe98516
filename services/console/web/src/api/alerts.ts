import { useMutation, useQuery } from '@tanstack/react-query';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { AlertConfigRecord, AlertGroup, AlertTestBody, DeliveryRecord } from '@countersign/contracts';
import { ask } from './ask.js';
import { client } from './client.js';

/** The inbox: open alerts of the same agent, outcome, violation and rule together. */
export interface AlertGroups {
  readonly groups: readonly AlertGroup[];
  readonly openCount: number;
  readonly acknowledgedAt: string | null;
  /** Open alerts that are in the counts. */
  readonly grouped: number;
  /** Up to where the groups were counted. */
  readonly place: string;
}

/** Key of the number of open alerts. */
export const OPEN_ALERTS = ['alerts-open'];
const OPEN = OPEN_ALERTS;
const INBOX = ['alerts'];
const CONFIGS = ['alert-configs'];
const MOST_GROUPS = 200;
const EVERY_MS = 10_000;

/** The number of open alerts, asked for every few seconds while the page is visible. */
export function useOpenAlerts(): UseQueryResult<number> {
  return useQuery({
    queryKey: OPEN,
    queryFn: async ({ signal }) => (await ask<{ openCount: number }>('/v1/alerts/open-count', { signal })).openCount,
    refetchInterval: EVERY_MS,
    retry: false,
  });
}

/** Open alerts in groups, the latest first. */
export function useAlertGroups(): UseQueryResult<AlertGroups> {
  return useQuery({
    queryKey: INBOX,
    queryFn: ({ signal }) => ask<AlertGroups>('/v1/alerts/groups', { query: { limit: MOST_GROUPS }, signal }),
  });
}

/**
 * Closes the alerts that were counted, and none that came later.
 * @param upTo the place of the groups
 * @param note recorded with it; empty: none
 * @returns how many are still open
 */
export async function acknowledgeAlerts(upTo: string, note: string): Promise<number> {
  const body = { upTo, ...(note === '' ? {} : { note }) };
  const { openCount } = await ask<{ openCount: number }>('/v1/alerts/acknowledge', { method: 'POST', body });
  await Promise.all([client.invalidateQueries({ queryKey: INBOX }), client.invalidateQueries({ queryKey: OPEN })]);
  return openCount;
}

/** Destinations of messages, oldest first. */
export function useAlertConfigs(): UseQueryResult<readonly AlertConfigRecord[]> {
  return useQuery({
    queryKey: CONFIGS,
    queryFn: async ({ signal }) =>
      (await ask<{ alertConfigs: readonly AlertConfigRecord[] }>('/v1/alert-configs', { signal })).alertConfigs,
  });
}

export interface ConfigChange {
  readonly id?: string;
  readonly kind?: AlertConfigRecord['kind'];
  readonly destination?: string;
  readonly minSeverity?: AlertConfigRecord['minSeverity'];
  readonly enabled?: boolean;
}

/** A destination after a change; `secret` in the answer that created a webhook, and never again. */
export type ChangedConfig = AlertConfigRecord & { readonly secret?: string };

/** Creates a destination, or changes the one that `id` names. The answer is not kept once its screen is left. */
export function usePutConfig(): UseMutationResult<ChangedConfig, Error, ConfigChange> {
  return useMutation({
    mutationFn: (body) => ask<ChangedConfig>('/v1/alert-configs', { method: 'POST', body }),
    onSuccess: () => client.invalidateQueries({ queryKey: CONFIGS }),
    gcTime: 0,
  });
}

export async function removeConfig(id: string): Promise<void> {
  await ask(`/v1/alert-configs/${encodeURIComponent(id)}`, { method: 'DELETE' });
  await client.invalidateQueries({ queryKey: CONFIGS });
}

export interface TestResult {
  readonly delivered: boolean;
  /** Of the HTTP or SMTP answer; `null`: there was none. */
  readonly status: number | null;
}

/** Sends a test message to a destination. */
export function useTestConfig(): UseMutationResult<TestResult, Error, string> {
  return useMutation({
    mutationFn: (id) => ask<TestResult>(`/v1/alert-configs/${encodeURIComponent(id)}/test`, { method: 'POST' }),
    onSettled: (_result, _error, id) => client.invalidateQueries({ queryKey: ['deliveries', id] }),
  });
}

/** Sends a test message to an address that is not stored. */
export function useTestAddress(): UseMutationResult<TestResult, Error, AlertTestBody> {
  return useMutation({
    mutationFn: (body) => ask<TestResult>('/v1/alert-configs/test', { method: 'POST', body }),
  });
}

/** Sends a message of a destination again. @param id of the destination */
export function useRetry(id: string): UseMutationResult<DeliveryRecord, Error, string> {
  const path = `/v1/alert-configs/${encodeURIComponent(id)}/deliveries`;
  return useMutation({
    mutationFn: (delivery) => ask<DeliveryRecord>(`${path}/${encodeURIComponent(delivery)}/retry`, { method: 'POST' }),
    onSettled: () => client.invalidateQueries({ queryKey: ['deliveries', id] }),
  });
}

/** The newest messages to a destination with their attempts. */
export function useDeliveries(id: string): UseQueryResult<readonly DeliveryRecord[]> {
  return useQuery({
    queryKey: ['deliveries', id],
    queryFn: async ({ signal }) =>
      (
        await ask<{ deliveries: readonly DeliveryRecord[] }>(`/v1/alert-configs/${encodeURIComponent(id)}/deliveries`, {
          query: { limit: 100 },
          signal,
        })
      ).deliveries,
    refetchInterval: EVERY_MS,
  });
}

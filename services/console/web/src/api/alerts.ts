import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import type { InfiniteData, UseInfiniteQueryResult, UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { AlertConfigRecord, DeliveryRecord, EventRecord } from '@countersign/contracts';
import { ask } from './ask.js';
import { client } from './client.js';

/** A page of the inbox. */
export interface AlertPage {
  readonly alerts: readonly EventRecord[];
  readonly openCount: number;
  readonly acknowledgedAt: string | null;
  readonly offset: number;
}

/** Key of the number of open alerts. */
export const OPEN_ALERTS = ['alerts-open'];
const OPEN = OPEN_ALERTS;
const INBOX = ['alerts'];
const CONFIGS = ['alert-configs'];
const PAGE = 100;
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

/** Open alerts, newest first, in pages. */
export function useAlerts(): UseInfiniteQueryResult<InfiniteData<AlertPage, number>> {
  return useInfiniteQuery({
    queryKey: INBOX,
    queryFn: async ({ pageParam: offset, signal }): Promise<AlertPage> => ({
      ...(await ask<Omit<AlertPage, 'offset'>>('/v1/alerts', { query: { limit: PAGE, offset }, signal })),
      offset,
    }),
    initialPageParam: 0,
    getNextPageParam: ({ offset, alerts, openCount }) =>
      alerts.length > 0 && offset + alerts.length < openCount ? offset + alerts.length : undefined,
  });
}

/** Reads the inbox and its count again. */
export async function readAlertsAgain(): Promise<void> {
  await Promise.all([client.resetQueries({ queryKey: INBOX }), client.invalidateQueries({ queryKey: OPEN })]);
}

/** Closes all alerts that are open when the server takes the request. */
export async function acknowledgeAlerts(): Promise<void> {
  await ask('/v1/alerts/acknowledge', { method: 'POST' });
  await readAlertsAgain();
}

/** The number of open alerts at this moment. @throws AskError */
export async function openAlertsNow(): Promise<number> {
  return (await ask<{ openCount: number }>('/v1/alerts/open-count')).openCount;
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

import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ApiKeyRecord, ReportRecord, Role, SearchHit } from '@countersign/contracts';
import { hrefOf } from '../location.js';
import { ask } from './ask.js';

/** Something that a text names, and its place in the console. */
export interface Hit {
  readonly kind: SearchHit['kind'] | 'report' | 'api_key';
  readonly id: string;
  readonly label: string;
  readonly href: string;
}

/** Hits of one kind. */
const MOST = 10;
/** Reports and keys that are looked through: the newest. */
const LOOKED_THROUGH = 1000;
/** The public beginning of an API key, 16 characters, wherever a text has it; what follows is secret. */
const KEY = /csn_\w{1,12}/;
/** Ids, hashes and transactions: a name of an agent is none of them. */
const OF_REPORT = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{64}|[1-9A-HJ-NP-Za-km-z]{64,88})$/i;

/** Things that a text names: of the archive by its search, of reports and API keys by their lists. Empty: nothing is asked. */
export function useSearch(text: string, role: Role): UseQueryResult<readonly Hit[]> {
  const asked = askedOf(text);
  return useQuery({
    queryKey: ['search', asked],
    queryFn: ({ signal }) => search(asked, role, signal),
    enabled: asked.length >= 2,
    staleTime: 5000,
    retry: false,
  });
}

/** The text that is looked up and remembered: of one that has an API key, the public beginning of the key alone. */
export function askedOf(text: string): string {
  return KEY.exec(text)?.[0] ?? text;
}

async function search(text: string, role: Role, signal: AbortSignal): Promise<readonly Hit[]> {
  // No address has a key, or a part of one.
  if (KEY.test(text)) return role === 'admin' ? apiKeys(text, signal) : [];
  const [archive, reports] = await Promise.all([
    ask<{ hits: readonly SearchHit[] }>('/v1/search', { query: { q: text }, signal }),
    OF_REPORT.test(text) ? reportsNamed(text, signal) : [],
  ]);
  const found = archive.hits.map((hit) => ({
    ...hit,
    href: hrefOf(hit.kind === 'agent' ? `/agents/${hit.id}` : `/events/${hit.id}`),
  }));
  return [...found, ...reports];
}

async function reportsNamed(text: string, signal: AbortSignal): Promise<readonly Hit[]> {
  const lower = text.toLowerCase();
  const query = { limit: LOOKED_THROUGH };
  const { reports } = await ask<{ reports: readonly ReportRecord[] }>('/v1/reports', { query, signal });
  return reports
    .filter(
      ({ id, sha256, pdfSha256, contentHash, anchor }) =>
        [id, sha256, pdfSha256, contentHash].includes(lower) || anchor?.txSignature === text,
    )
    .slice(0, MOST)
    .map(({ id, title, createdAt }) => ({
      ...{ kind: 'report', id, href: hrefOf(`/reports/${id}`) },
      label: title ?? createdAt,
    }));
}

async function apiKeys(prefix: string, signal: AbortSignal): Promise<readonly Hit[]> {
  const query = { limit: LOOKED_THROUGH };
  const { apiKeys: keys } = await ask<{ apiKeys: readonly ApiKeyRecord[] }>('/v1/api-keys', { query, signal });
  return keys
    .filter((key) => key.prefix.startsWith(prefix))
    .slice(0, MOST)
    .map(({ id, name, prefix: own }) => ({
      ...{ kind: 'api_key', id, href: hrefOf('/settings/api-keys') },
      label: `${name} (${own}…)`,
    }));
}

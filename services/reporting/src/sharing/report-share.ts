import { createHash, randomBytes } from 'node:crypto';
import type { SharedForm, ShareRecord } from '@countersign/contracts';

/** Fetches that are kept with a link; all of them are counted. */
export const KEPT_FETCHES = 100;

/** An answer with the report. */
export interface ShareFetch {
  /** ISO 8601. */
  readonly at: string;
  /** IP of the caller; `null`: unknown. */
  readonly address: string | null;
}

/** A link to a stored report. */
export interface ReportShare {
  readonly id: string;
  readonly accountId: string;
  readonly reportId: string;
  readonly form: SharedForm;
  readonly note: string | null;
  readonly createdAt: string;
  readonly createdBy: { readonly id: string; readonly email: string };
  /** ISO 8601; the link is not valid from then on. */
  readonly expiresAt: string;
  readonly revokedAt: string | null;
  /** SHA-256 of the token, lower-case hex: the token itself is stored nowhere. */
  readonly tokenSha256: string;
  readonly fetches: number;
  /** The newest ones, newest first. */
  readonly log: readonly ShareFetch[];
}

/** 256 random bits, in base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashOfToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex');
}

/** @param at ISO 8601 UTC, as in the share */
export function isValid({ revokedAt, expiresAt }: Pick<ReportShare, 'revokedAt' | 'expiresAt'>, at: string): boolean {
  return revokedAt === null && at < expiresAt;
}

export function withFetch(share: ReportShare, fetch: ShareFetch): ReportShare {
  return { ...share, fetches: share.fetches + 1, log: [fetch, ...share.log].slice(0, KEPT_FETCHES) };
}

/**
 * @param withdrawn true if the report of the link was withdrawn
 * @param showsAddresses as in the trail of the account, addresses are for admins and auditors
 */
export function shareRecord(share: ReportShare, withdrawn: boolean, showsAddresses: boolean): ShareRecord {
  const { id, reportId, form, note, createdAt, createdBy, expiresAt, revokedAt, fetches, log } = share;
  return {
    ...{ id, reportId, form, note, createdAt, createdBy, expiresAt, revokedAt, withdrawn, fetches },
    lastFetchAt: log[0]?.at ?? null,
    log: log.map(({ at, address }) => ({ at, address: showsAddresses ? address : null })),
  };
}

import { OLDER_LAYOUTS, POSITIONS } from '@countersign/document-store';
import type { Collection } from '@countersign/document-store';
import type { DeclaredScope } from '@countersign/contracts';
import { JOBS } from './job-documents.js';
import type { ReportShare } from '../sharing/report-share.js';
import type { KeptAnchor, OpenedRun, StoredEntry, StoredReport, StoredSeries } from './port.js';

// Types, because interfaces have no index signature.
type None = Record<string, never>;
type ReportKeys = { accountId: string; createdAt: string };
type ShareKeys = {
  accountId: string;
  reportId: string;
  createdAt: string;
  expiresAt: string;
  isRevoked: boolean;
  tokenSha256: string;
};
type OpeningKeys = { agentId: string; first: number; last: number };

/** Version: the one in the topic `reports`. */
export const REPORTS: Collection<StoredReport, ReportKeys> = {
  name: 'reports',
  keysOf: ({ facts: { accountId, createdAt } }) => ({ accountId, createdAt }),
  keys: { accountId: 'text', createdAt: 'text' },
  keysVersion: 1,
  indexes: [['accountId', 'createdAt']],
};

export interface OpeningBody extends OpenedRun {
  readonly reportId: string;
}

/** The events whose content stored bodies open, by report and number: for erasures. */
export const OPENINGS: Collection<OpeningBody, OpeningKeys> = {
  name: 'openings',
  keysOf: ({ agentId, first, last }) => ({ agentId, first, last }),
  keys: { agentId: 'text', first: 'number', last: 'number' },
  keysVersion: 1,
  indexes: [['agentId', 'first']],
};

/** By report. */
export const ENTRIES: Collection<StoredEntry, None> = {
  name: 'entries',
  keysOf: () => ({}),
  keys: {},
  keysVersion: 1,
  indexes: [],
};

export const SERIES: Collection<StoredSeries, ReportKeys> = {
  name: 'series',
  keysOf: ({ accountId, createdAt }) => ({ accountId, createdAt }),
  keys: { accountId: 'text', createdAt: 'text' },
  keysVersion: 1,
  indexes: [['accountId', 'createdAt']],
};

/** Links to stored reports. */
export const SHARES: Collection<ReportShare, ShareKeys> = {
  name: 'shares',
  keysOf: ({ accountId, reportId, createdAt, expiresAt, revokedAt, tokenSha256 }) => ({
    ...{ accountId, reportId, createdAt, expiresAt, isRevoked: revokedAt !== null, tokenSha256 },
  }),
  keys: {
    accountId: 'text',
    reportId: 'text',
    createdAt: 'text',
    expiresAt: 'text',
    isRevoked: 'boolean',
    tokenSha256: 'text',
  },
  keysVersion: 1,
  indexes: [['reportId', 'createdAt'], ['tokenSha256'], ['isRevoked', 'expiresAt']],
};

/** By account; the version is in the body: 0 if declared before scopes were published. */
export const SCOPES: Collection<DeclaredScope & { readonly version: number }, None> = {
  name: 'scopes',
  keysOf: () => ({}),
  keys: {},
  keysVersion: 1,
  indexes: [],
};

/** By `anchorKey`. */
export const ANCHORS: Collection<KeptAnchor, { kind: string }> = {
  name: 'anchors',
  keysOf: ({ value: { kind } }) => ({ kind }),
  keys: { kind: 'text' },
  keysVersion: 1,
  indexes: [['kind']],
};

export const COLLECTIONS = [
  REPORTS,
  OPENINGS,
  ENTRIES,
  SERIES,
  JOBS,
  SHARES,
  SCOPES,
  ANCHORS,
  POSITIONS,
  OLDER_LAYOUTS,
] as unknown as readonly Collection<object>[];

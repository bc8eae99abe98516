import { OLDER_LAYOUTS } from '@countersign/document-store';
import type { Collection } from '@countersign/document-store';
import type { DeclaredScope } from '@countersign/contracts';
import type { KeptAnchor, OpenedRun, StoredReport } from './port.js';

// Types and not interfaces, which have no index signature.
type None = Record<string, never>;
type ReportKeys = { accountId: string; createdAt: string };
type OpeningKeys = { agentId: string; first: number; last: number };

/** Version: that of the topic `reports`. */
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

/** Which events' content stored bodies open, by report and number: an erasure finds them by it. */
export const OPENINGS: Collection<OpeningBody, OpeningKeys> = {
  name: 'openings',
  keysOf: ({ agentId, first, last }) => ({ agentId, first, last }),
  keys: { agentId: 'text', first: 'number', last: 'number' },
  keysVersion: 1,
  indexes: [['agentId', 'first']],
};

/** By account; the version is in the body: 0 in what was declared before scopes were published. */
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

/** By partition: where following the topic `anchors` continues. */
export const POSITIONS: Collection<{ readonly next: number }, None> = {
  name: 'positions',
  keysOf: () => ({}),
  keys: {},
  keysVersion: 1,
  indexes: [],
};

export const COLLECTIONS = [
  REPORTS,
  OPENINGS,
  SCOPES,
  ANCHORS,
  POSITIONS,
  OLDER_LAYOUTS,
] as unknown as readonly Collection<object>[];

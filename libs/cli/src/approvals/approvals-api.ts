import type { ApprovalState, ApprovalSummary } from '@countersign/contracts';
import type { Asked } from '../api-client/as-person.js';
import { CommandFailed, EXIT } from '../exit-codes.js';
import type { ShownApproval } from './describe-approvals.js';
import { visible } from './visible.js';

export interface Decision {
  readonly decision: 'approve' | 'deny';
  readonly comment?: string;
  /** `shown_sha256` of the approval as it was shown. */
  readonly shown_sha256: string;
}

interface Page {
  readonly approvals: readonly ApprovalSummary[];
  readonly next_cursor: string | null;
}

const MOST_OF_PAGE = 100;

/** Approvals of the account over the API, as a person. Every method throws CommandFailed 1 where the service refuses. */
export class ApprovalsApi {
  readonly #ask: Asked;

  constructor(ask: Asked) {
    this.#ask = ask;
  }

  /** The newest ones, at most `most`, and whether there are more. */
  async list(
    { status, agentId }: { readonly status: ApprovalState | undefined; readonly agentId: string | undefined },
    most: number,
  ): Promise<{ readonly approvals: readonly ApprovalSummary[]; readonly hasMore: boolean }> {
    const approvals: ApprovalSummary[] = [];
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams({ limit: `${Math.min(MOST_OF_PAGE, most - approvals.length)}` });
      if (status !== undefined) query.set('status', status);
      if (agentId !== undefined) query.set('agentId', agentId);
      if (cursor !== null) query.set('cursor', cursor);
      const page: Page = await this.#ask('GET', `/v1/approvals?${query.toString()}`);
      approvals.push(...page.approvals);
      cursor = page.next_cursor;
    } while (cursor !== null && approvals.length < most);
    return { approvals, hasMore: cursor !== null };
  }

  show(id: string): Promise<ShownApproval> {
    return this.#ask('GET', pathOf(id));
  }

  decide(id: string, decision: Decision): Promise<ShownApproval> {
    return this.#ask('POST', `${pathOf(id)}/decide`, decision);
  }
}

function pathOf(id: string): string {
  return `/v1/approvals/${encodeURIComponent(id)}`;
}

/** @throws CommandFailed 64 for an id that is none */
export function requireId(id: string): string {
  if (/^apr_[0-9a-f-]{36}$/.test(id)) return id;
  throw new CommandFailed(EXIT.usage, `${visible(id)} is no id of an approval: approval_id of a denial, apr_…`);
}

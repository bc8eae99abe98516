import type { ApprovalState, ApprovalSummary } from '@countersign/contracts';
import { Api } from '../api-client/api.js';
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
  readonly #api: Api;
  readonly #session: { readonly authorization: string };

  private constructor(api: Api, session: { readonly authorization: string }) {
    this.#api = api;
    this.#session = session;
  }

  /** Logs in and passes the session to `use`. */
  static async as<T>(
    { baseUrl, email, password }: Readonly<Record<'baseUrl' | 'email' | 'password', string>>,
    use: (approvals: ApprovalsApi) => Promise<T>,
  ): Promise<T> {
    const api = new Api(baseUrl);
    try {
      return await use(new ApprovalsApi(api, await api.login(email, password)));
    } catch (error) {
      const { message } = error instanceof Error ? error : new Error(String(error));
      throw new CommandFailed(error instanceof CommandFailed ? error.exitCode : EXIT.wrong, visible(message));
    } finally {
      api.close();
    }
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
      const page: Page = await this.#api.json('GET', `/v1/approvals?${query.toString()}`, this.#session);
      approvals.push(...page.approvals);
      cursor = page.next_cursor;
    } while (cursor !== null && approvals.length < most);
    return { approvals, hasMore: cursor !== null };
  }

  show(id: string): Promise<ShownApproval> {
    return this.#api.json('GET', pathOf(id), this.#session);
  }

  decide(id: string, decision: Decision): Promise<ShownApproval> {
    return this.#api.json('POST', `${pathOf(id)}/decide`, this.#session, decision);
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

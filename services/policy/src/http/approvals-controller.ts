import { Controller, Inject } from '@nestjs/common';
import { approvalRoutes } from '@countersign/contracts';
import type {
  ApprovalRecord,
  ApprovalsQuery,
  ApprovalStatus,
  ApprovalSummary,
  DecisionBody,
  EventArchive,
} from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import type { ApiKeyCaller, RouteInput, SessionCaller } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import { shownAction } from '../decide-approval/shown-action.js';
import { approvalRecord, approvalStatus, approvalSummary } from '../decide-approval/approval-record.js';
import type { Approvals } from '../decide-approval/approvals.js';
import type { Approval } from '../domain/approval.js';
import { mayRead } from '../domain/approvers.js';
import { approvalPlace } from '../store/documents.js';
import { APPROVALS, ARCHIVE } from './tokens.js';

type GetQuery = { readonly wait: number };
type Detail = ApprovalRecord | ApprovalSummary | ApprovalStatus;

const BAD_CURSOR = 'cursor is not one that a page named as next_cursor';

@Controller()
export class ApprovalsController {
  constructor(
    @Inject(APPROVALS) private readonly approvals: Approvals,
    @Inject(ARCHIVE) private readonly archive: () => Pick<EventArchive, 'withProfile'> | null,
  ) {}

  @HttpRoute(approvalRoutes.listApprovals)
  async list(@Input() { caller, query }: RouteInput<unknown, ApprovalsQuery>): Promise<object> {
    const { status, agentId, limit, cursor } = query;
    const filter = {
      ...(status === undefined ? {} : { state: status }),
      ...(agentId === undefined ? {} : { agentId: agentId.toLowerCase() }),
      ...(cursor === undefined ? {} : { below: placeOf(cursor) }),
    };
    // One more than the page says whether another one follows.
    const found = await this.approvals.list(caller.accountId, filter, limit + 1);
    const page = found.slice(0, limit);
    const refusals = await this.approvals.refusals(page, caller);
    const last = found.length > limit ? page.at(-1)! : null;
    return {
      approvals: page.map((approval, i) => approvalSummary(approval, refusals[i]!)),
      next_cursor: last === null ? null : Buffer.from(approvalPlace(last)).toString('base64url'),
    };
  }

  @HttpRoute(approvalRoutes.getApproval)
  async get(
    @Input() { caller, params, query }: RouteInput<unknown, GetQuery, SessionCaller | ApiKeyCaller>,
  ): Promise<Detail> {
    const id = params['approvalId']!;
    const waitMs = query.wait * 1000;
    if ('powers' in caller) return approvalStatus(await this.approvals.getByKey(caller, id, waitMs));
    const approval = await this.approvals.get(caller.accountId, id, () => true, waitMs);
    return this.#shown(approval, caller);
  }

  @HttpRoute(approvalRoutes.decideApproval)
  async decide(@Input() { caller, params, body }: RouteInput<DecisionBody>): Promise<Detail> {
    return this.#shown(await this.approvals.decide(caller, params['approvalId']!, body), caller);
  }

  async #shown(approval: Approval, caller: SessionCaller): Promise<Detail> {
    const [refusal] = await this.approvals.refusals([approval], caller);
    const summary = approvalSummary(approval, refusal!);
    if (!mayRead(approval, caller)) return summary;
    return approvalRecord(approval, summary, await shownAction(this.archive(), approval));
  }
}

/** @throws HttpRefusal 400 */
function placeOf(cursor: string): string {
  const place = Buffer.from(cursor, 'base64url').toString('latin1');
  if (!/^\d{15}\/apr_[0-9a-f-]{36}$/.test(place)) throw new HttpRefusal(400, BAD_CURSOR);
  return place;
}

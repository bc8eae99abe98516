import { createHash } from 'node:crypto';
import { accessBindingHash } from '@countersign/service-kit';
import {
  accessRequestProblem,
  accessRequestRoutes,
  approvalId,
  approvalUuid,
  PROBLEM_TYPE,
} from '@countersign/contracts';
import type { AccessRequestProblem, AccessSubmission, AccessTask } from '@countersign/contracts';
import { canonicalize } from '@countersign/evidence';
import { HttpRefusal } from '@countersign/http-edge';
import type { ApiKeyCaller } from '@countersign/http-edge';
import type { DenialClaims, DenialTokens } from '@countersign/service-kit';
import { isoTime } from '../domain/agent.js';
import { submitted } from '../domain/approval.js';
import type { Approval, Submission } from '../domain/approval.js';
import type { PolicyStore } from '../store/port.js';
import type { Approvals } from './approvals.js';
import { notNow } from '../change-agent/agent-changes.js';

const PROBLEMS: Readonly<Record<AccessRequestProblem, readonly [status: 400 | 404 | 409 | 410, title: string]>> = {
  not_requestable: [400, 'Access is not requestable'],
  expired_denial: [410, 'The denial has expired'],
  invalid_denial_binding: [400, 'The request is not bound to the denial'],
  duplicate_request: [409, 'The Idempotency-Key was used before'],
  unknown_task: [404, 'No such task'],
  task_expired: [410, 'The task has expired'],
};

const TASK_ID = /^arq_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
/** Approvals of an agent among which an `Idempotency-Key` is looked for; so many may wait at a time. */
const MOST_COMPARED = 100;
const MAX_TRIES = 50;
const UNKNOWN_TASK = 'there is no such task, or it is not one of this API key';

/**
 * The access request service of the AuthZEN Access Request and Approval Profile 1.0 (draft 1): a task is the approval that
 * the denied action waits for. Every method throws HttpRefusal, with the problem types of the section "Error Responses".
 */
export class AccessRequests {
  constructor(
    private readonly approvals: Pick<Approvals, 'getByKey' | 'known'>,
    private readonly store: Pick<PolicyStore, 'approvals'>,
    private readonly tokens: DenialTokens,
    private readonly publicUrl: () => string,
    private readonly clock: () => number,
  ) {}

  /** The keys that verify binding tokens. */
  keys(): object {
    return this.tokens.keys();
  }

  /**
   * The task for a denied evaluation (section "Access Request Submission").
   * @param idempotencyKey `null`: none was sent
   * @throws HttpRefusal 400, 409, 410; of another account's denial as of a forged one
   */
  async submit(caller: ApiKeyCaller, body: AccessSubmission, idempotencyKey: string | null): Promise<AccessTask> {
    const { approvalId: id } = await this.#denied(body);
    await this.approvals.known(caller.accountId, id);
    let approval: Approval;
    try {
      approval = await this.approvals.getByKey(caller, id, 0);
    } catch (error) {
      if (error instanceof HttpRefusal && error.status === 404) throw problem('invalid_denial_binding', NOT_ISSUED);
      throw error;
    }
    if (idempotencyKey !== null) await this.#once(approval, submissionOf(caller, idempotencyKey, body));
    return this.#task(approval);
  }

  /** @throws HttpRefusal 404, 410 */
  async task(caller: ApiKeyCaller, taskId: string): Promise<AccessTask> {
    const uuid = TASK_ID.exec(taskId)?.[1];
    if (uuid === undefined) throw problem('unknown_task', UNKNOWN_TASK);
    let approval: Approval;
    try {
      approval = await this.approvals.getByKey(caller, approvalId(uuid), 0);
    } catch (error) {
      if (error instanceof HttpRefusal && error.status === 404) throw problem('unknown_task', UNKNOWN_TASK);
      throw error;
    }
    if (this.clock() >= endOf(approval))
      throw problem('task_expired', 'its time is over: ask for the evaluation again');
    return this.#task(approval);
  }

  /** The claims of the denial that a submission is bound to (sections "Denial Binding", "Binding Token Integrity"). */
  async #denied({ subject, resource, action, context = {}, denial, items }: AccessSubmission): Promise<DenialClaims> {
    if (items !== undefined)
      throw problem('invalid_denial_binding', 'no denial covers several items: submit each alone');
    if (resource === undefined || action === undefined) {
      throw new HttpRefusal(400, 'resource and action are missing: send those of the denied evaluation');
    }
    if (denial === undefined) throw problem('invalid_denial_binding', 'denial is missing');
    const { binding_token: token, expires_at: expiresAt, evaluation_id: evaluationId } = denial;
    if (token === undefined) {
      if (expiresAt === undefined) throw problem('not_requestable', NO_ACCESS_REQUEST);
      throw problem('invalid_denial_binding', 'denial.binding_token is missing');
    }
    const claims = await this.tokens.verify(token);
    if (claims === 'invalid') throw problem('invalid_denial_binding', NOT_ISSUED);
    if (claims === 'expired') throw problem('expired_denial', 'ask for the evaluation again, and submit its denial');
    if (expiresAt !== claims.expiresAt) throw problem('invalid_denial_binding', differs('denial.expires_at'));
    if (evaluationId !== undefined && evaluationId !== claims.evaluationId) {
      throw problem('invalid_denial_binding', differs('denial.evaluation_id'));
    }
    if (
      accessBindingHash({ subject, resource, action, context }, claims.contextMembers, canonicalize) !==
      claims.bindingHash
    ) {
      throw problem('invalid_denial_binding', differs('subject, resource, action or context'));
    }
    return claims;
  }

  /**
   * Remembers the key of a submission, while there is room: each write of an approval defers a decision about it.
   * @throws HttpRefusal 409 where it was sent with another body
   */
  async #once(approval: Approval, submission: Submission): Promise<void> {
    const { accountId, agentId, id } = approval;
    const others = await this.store.approvals.list(accountId, { agentId }, MOST_COMPARED);
    if (others.some((other) => isRepeated(other, submission))) return;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const stored = await this.store.approvals.find(id);
      if (stored === null) return;
      // The same key may have been stored since.
      if (isRepeated(stored.approval, submission)) return;
      const after = submitted(stored.approval, submission);
      if (after === stored.approval) return;
      // Gateways read nothing of a submission.
      if (await this.store.approvals.replace({ approval: after, records: [] }, stored.revision)) return;
    }
    throw notNow('the approval is being changed by too many others at once: try again');
  }

  #task(approval: Approval): AccessTask {
    const { id, usableUntilMs, decisions } = approval;
    const base = this.publicUrl().replace(/\/+$/, '');
    const status = statusOf(approval);
    const taskId = `arq_${approvalUuid(id)}`;
    const task = {
      id: taskId,
      status,
      status_endpoint: base + accessRequestRoutes.getAccessTask.path.replace('{taskId}', taskId),
      expires_at: isoTime(endOf(approval)),
      links: { review: `${base}/console#approvals/${id}` },
      display: DISPLAY[status],
    };
    if (status !== 'approved') return { task };
    const approvedAtMs = decisions.at(-1)?.atMs;
    return {
      task,
      result: {
        mode: 'reevaluate',
        approval: {
          id,
          ...(approvedAtMs === undefined ? {} : { approved_at: isoTime(approvedAtMs) }),
          approved_until: isoTime(usableUntilMs ?? approval.expiresAtMs),
        },
      },
    };
  }
}

const NO_ACCESS_REQUEST = 'The denied decision did not contain a context.access_request object.';
const NOT_ISSUED = 'denial.binding_token is none that was issued here for an agent of this API key';
const differs = (what: string): string => `${what} differs from the denied evaluation`;

const DISPLAY = {
  pending: { title: 'Access request submitted', description: 'The action waits for a person who may decide about it.' },
  approved: { title: 'Approved', description: 'Ask for the evaluation again, with the approval in its context.' },
  denied: { title: 'Denied', description: 'A person has denied the action.' },
} as const;

/** A task that was decided stays as it was decided (section "State Transitions"): what becomes of the approval is not its state. */
function statusOf({ state, usableUntilMs }: Approval): AccessTask['task']['status'] {
  if (state === 'denied') return 'denied';
  return usableUntilMs === undefined ? 'pending' : 'approved';
}

function endOf({ expiresAtMs, usableUntilMs = 0 }: Approval): number {
  return Math.max(expiresAtMs, usableUntilMs);
}

/** True: the submission is known. @throws HttpRefusal 409 where its key was sent with another body */
function isRepeated({ submissions = [] }: Approval, { keySha256, bodySha256 }: Submission): boolean {
  const same = submissions.find((one) => one.keySha256 === keySha256);
  if (same === undefined || same.bodySha256 === bodySha256) return same !== undefined;
  throw problem('duplicate_request', 'this Idempotency-Key was sent with another body: send another key');
}

function submissionOf({ apiKeyId }: ApiKeyCaller, key: string, body: AccessSubmission): Submission {
  const hex = (text: string): string => createHash('sha256').update(text).digest('hex');
  return { keySha256: hex(`${apiKeyId} ${key}`), bodySha256: hex(canonicalize(body)) };
}

function problem(name: AccessRequestProblem, detail: string): HttpRefusal {
  const [status, title] = PROBLEMS[name];
  const body = { type: accessRequestProblem(name), title, status, detail };
  return new HttpRefusal(status, detail, { 'content-type': PROBLEM_TYPE }, body);
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { powersOf } from '@countersign/contracts';
import { canonicalize } from '@countersign/evidence';
import { HttpRefusal } from '@countersign/http-edge';
import { accessBindingHash, denialTokens } from '@countersign/service-kit';
import type { Approval } from '../domain/approval.js';
import type { ApprovalStore, ApprovalWrite } from '../store/approvals-port.js';
import { AccessRequests } from './access-requests.js';

const UUID = '3f0e7a52-41bd-4c0f-9d52-0c8a5a1f7b21';
const START = Date.parse('2026-04-30T20:15:00Z');
const evaluated = {
  subject: { type: 'user', id: 'alice', properties: { act: { sub: 'a' } } },
  resource: { type: 'document', id: 'q4-plan' },
  action: { name: 'can_read' },
  context: { region: 'eu' },
};
const caller = { accountId: 'acc', apiKeyId: 'key', powers: powersOf({}) } as never;

describe('an access request', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'access-requests-'));
  afterAll(() => rmSync(dataDir, { recursive: true }));
  let nowMs = START;
  let approval = {
    id: `apr_${UUID}`,
    state: 'pending',
    expiresAtMs: START + 900_000,
    decisions: [],
  } as never as Approval;
  const opened = (publicUrl = 'https://pdp.example') =>
    denialTokens(
      { dataDir, instanceSecretFile: null },
      () => publicUrl,
      () => nowMs,
    );

  async function requests(tokens = opened(), store: Partial<ApprovalStore> = {}): Promise<AccessRequests> {
    const approvals = { known: () => Promise.resolve(), getByKey: () => Promise.resolve(approval) };
    return new AccessRequests(
      approvals,
      { approvals: store as ApprovalStore },
      await tokens,
      () => 'https://pdp.example',
      () => nowMs,
    );
  }
  async function denial(tokens = opened()): Promise<{ binding_token: string; expires_at: string }> {
    const expiresAt = new Date(START + 600_000).toISOString();
    const claims = {
      ...{ evaluationId: 'e', approvalId: approval.id, expiresAt, contextMembers: ['region'] },
      bindingHash: accessBindingHash(evaluated, ['region'], canonicalize),
    };
    return { binding_token: await (await tokens).sign(claims, START), expires_at: expiresAt };
  }
  const problem = async (answer: Promise<unknown>): Promise<unknown> => {
    const error = await answer.catch((refusal: unknown) => refusal);
    return error instanceof HttpRefusal
      ? [error.status, (error.body as { type: string }).type.split(':').at(-1)]
      : error;
  };

  it('is bound to the evaluation, however the actor is said', async () => {
    const service = await requests();
    const own = await denial();
    expect(await denial()).toEqual(own);
    const subject = { type: 'user', id: 'alice' };
    const body = { ...evaluated, subject, context: { region: 'eu', why: 'x' }, denial: own };
    const { task } = await service.submit(caller, body, null);
    expect(task).toMatchObject({ id: `arq_${UUID}`, status: 'pending', expires_at: '2026-04-30T20:30:00.000Z' });
    for (const change of [{ context: {} }, { context: { region: 'us' } }, { subject: { ...subject, type: 'agent' } }]) {
      expect(await problem(service.submit(caller, { ...body, ...change }, null))).toEqual([
        400,
        'invalid_denial_binding',
      ]);
    }
    const elsewhere = { ...body, denial: await denial(opened('https://other.example')) };
    expect(await problem(service.submit(caller, elsewhere, null))).toEqual([400, 'invalid_denial_binding']);
  });

  it('is stored for its first keys alone, and publishes nothing: a decision is not held off', async () => {
    let stored = { ...approval, state: 'approved', decisions: [{}], usableUntilMs: START } as never as Approval;
    const writes: ApprovalWrite[] = [];
    // As if the other submissions with the same key were stored after the list was read.
    const service = await requests(opened(), {
      list: () => Promise.resolve([]),
      find: () => Promise.resolve({ approval: stored, revision: writes.length }),
      replace: (write, revision) => {
        if (revision !== writes.length) return Promise.resolve(false);
        writes.push(write);
        stored = write.approval;
        return Promise.resolve(true);
      },
    });
    const body = { ...evaluated, denial: await denial() };
    const other = { ...body, context: { region: 'eu', why: 'x' } };
    for (let n = 0; n < 25; n += 1) {
      expect((await service.submit(caller, body, `key-${n}`)).task.id).toBe(`arq_${UUID}`);
      await service.submit(caller, body, 'key-0');
      expect(await problem(service.submit(caller, other, 'key-0'))).toEqual([409, 'duplicate_request']);
    }
    expect(writes.map(({ records }) => records)).toEqual(Array.from({ length: 20 }, () => []));
    expect(stored.submissions).toHaveLength(20);
  });

  it('is over when its time is', async () => {
    const service = await requests();
    const body = { ...evaluated, denial: await denial() };
    nowMs = START + 600_000;
    expect(await problem(service.submit(caller, body, null))).toEqual([410, 'expired_denial']);
    expect((await service.task(caller, `arq_${UUID}`)).task.status).toBe('pending');
    approval = { ...approval, state: 'consumed', usableUntilMs: START + 800_000 };
    expect((await service.task(caller, `arq_${UUID}`)).result?.approval.approved_until).toBe(
      '2026-04-30T20:28:20.000Z',
    );
    nowMs = START + 900_000;
    expect(await problem(service.task(caller, `arq_${UUID}`))).toEqual([410, 'task_expired']);
    expect(await problem(service.task(caller, 'apr_1'))).toEqual([404, 'unknown_task']);
  });
});

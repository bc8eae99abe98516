import { nodeCrypto } from '@countersign/process/node-crypto';
import type { EventEnvelope } from '@countersign/contracts';
import { uuidV7 } from '@countersign/evidence';
import { createAgent, freezeAgent } from '../domain/life-cycle.js';
import { decided, ended } from '../domain/approval.js';
import type { Approval } from '../domain/approval.js';
import { APPROVAL, asking, checkId, erasing, EXPIRES_MS, T } from '../domain/approvals.test-context.js';
import { followApprovals, readApprovalNews } from '../domain/follow-approvals.js';
import { ACCOUNT, AGENT, OTHER_ACCOUNT } from '../policy.test-context.js';
import type { ApprovalWrite } from './approvals-port.js';
import { approvalPlace } from './documents.js';
import type { PolicyStore } from './port.js';
import type { OpenedStore } from './store.contract.js';

const BY = { kind: 'user', id: 'u' } as const;
const FIELDS = { name: 'Booking', type: null, purpose: null, version: null };
const { agent } = createAgent(AGENT, ACCOUNT, FIELDS, BY, T, nodeCrypto.sha256);
const APPROVE = { decision: 'approve', userId: 'bob', role: 'admin', atMs: T + 5_000 } as const;

const idOf = (n: number): string => `apr_${String(n).padStart(8, '0')}-bbbb-4bbb-8bbb-bbbbbbbbbbbb`;
const record = (value: string) => ({ topic: 'agent-events', key: AGENT, value }) as const;

/** Follows checks that ask for approvals; each is published as its id. */
async function ask(store: PolicyStore, at: number, envelopes: readonly EventEnvelope[]): Promise<void> {
  const events = envelopes.map((envelope, i) => {
    const news = readApprovalNews(envelope)!;
    const { erases } = news;
    const approvalIds = news.ofCheck.map(({ id }) => id);
    const about = { agentId: AGENT, accountId: ACCOUNT, approvalIds, ...(erases === undefined ? {} : { erases }) };
    return { offset: at + i, eventId: envelope.leaf.eventId, ...about, news };
  });
  const batch = { partition: 0, next: at + events.length, logTimeMs: T, events };
  await store.follow(batch, (fresh, state) => ({
    agentTotals: [],
    accountTotals: [],
    claims: [],
    agents: [],
    approvals: followApprovals(
      fresh.map(({ news }) => news),
      (id) => state.approval(id),
      (eventId) => state.commented(eventId),
    ).map(({ approval }) => ({ approval, records: [record(approval.id)] })),
  }));
}

/** Contract of every store of policy for approvals. */
export function approvalsContract(backend: string, open: () => Promise<OpenedStore>): void {
  describe(`approvals on ${backend}`, () => {
    let opened: OpenedStore;
    let store: PolicyStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
      await store.create({ agent, records: [] });
    });
    afterEach(() => opened.cleanup());

    const sent = async (): Promise<readonly string[]> =>
      (await store.outbox.pending(100)).map(({ record: { value } }) => value);
    const approvalOf = async (id = APPROVAL): Promise<Approval> => (await store.approvals.find(id))!.approval;

    it('opens one with its message and the position, once, over a restart', async () => {
      await ask(store, 0, [asking(1), asking(2)]);
      await ask(store, 0, [asking(1), asking(2)]);
      store = await opened.reopen();
      await ask(store, 2, [asking(3)]);
      expect(await store.approvals.find(APPROVAL)).toMatchObject({
        revision: 1,
        approval: { state: 'pending', eventId: checkId(1), accountId: ACCOUNT },
      });
      expect(await sent()).toEqual([APPROVAL]);
      expect(await store.position(0)).toBe(3);
      expect(await store.approvals.pending()).toBe(1);
    });

    it('replaces one at the revision that it has alone, with its messages', async () => {
      await ask(store, 0, [asking(1)]);
      const approval = decided(await approvalOf(), APPROVE);
      const write: ApprovalWrite = { approval, records: [record('decided')] };
      expect(await store.approvals.replace(write, 1)).toBe(true);
      expect(await store.approvals.replace(write, 1)).toBe(false);
      expect(await store.approvals.find(APPROVAL)).toEqual({ approval, revision: 2 });
      expect(await sent()).toEqual([APPROVAL, 'decided']);
    });

    it('erases the comments that an event committed with the content of the event, over a restart', async () => {
      const [settledIn, other] = [uuidV7(T + 5_000, new Uint8Array(10).fill(1)), uuidV7(T + 5_000, new Uint8Array(10))];
      await ask(store, 0, [asking(1), asking(2, { id: idOf(2) }), asking(3, { id: idOf(3) })]);
      const commented = { ...APPROVE, comment: 'Called the customer' };
      const put = async (id: string, commentsIn?: string): Promise<void> => {
        const approval = decided(await approvalOf(id), commented);
        const said = commentsIn === undefined ? approval : { ...approval, commentsIn };
        expect(await store.approvals.replace({ approval: said, records: [] }, 1)).toBe(true);
      };
      await put(APPROVAL, settledIn);
      await put(idOf(2), other);
      // As the previous release wrote it.
      await put(idOf(3));
      const comments = async (id: string) => (await approvalOf(id)).decisions.map(({ comment }) => comment);
      await ask(store, 3, [erasing(10, checkId(1))]);
      expect(await comments(APPROVAL)).toEqual(['Called the customer']);
      store = await opened.reopen();
      await ask(store, 4, [erasing(11, settledIn)]);
      await ask(store, 4, [erasing(11, settledIn)]);
      store = await opened.reopen();
      expect(await store.approvals.find(APPROVAL)).toMatchObject({
        revision: 3,
        approval: { state: 'approved', decisions: [APPROVE], commentsIn: settledIn },
      });
      expect(await comments(APPROVAL)).toEqual([undefined]);
      expect(await comments(idOf(2))).toEqual(['Called the customer']);
      expect(await comments(idOf(3))).toEqual([undefined]);
    });

    it('lets one of many decisions at once pass', async () => {
      await ask(store, 0, [asking(1)]);
      const approval = decided(await approvalOf(), APPROVE);
      const tries = Array.from({ length: 8 }, (_, n) =>
        store.approvals.replace({ approval, records: [record(`decision ${n}`)] }, 1),
      );
      expect((await Promise.all(tries)).filter((written) => written)).toHaveLength(1);
      expect(await sent()).toHaveLength(2);
    });

    it('opens one in the batch that changes its agent', async () => {
      const frozen = freezeAgent(agent, null, BY, T, T);
      if (frozen.kind !== 'changed') throw new Error('expected a change');
      const [news] = [readApprovalNews(asking(1))!];
      const event = { offset: 0, eventId: checkId(1), agentId: AGENT, accountId: ACCOUNT, approvalIds: [APPROVAL] };
      await store.follow({ partition: 0, next: 1, logTimeMs: T, events: [event] }, () => ({
        agentTotals: [],
        accountTotals: [],
        claims: [],
        agents: [{ agent: frozen.agent, records: [record('frozen')] }],
        approvals: followApprovals([news], () => null).map(({ approval }) => ({
          approval,
          records: [record('asked')],
        })),
      }));
      expect(await sent()).toEqual(['frozen', 'asked']);
      expect((await store.find(AGENT))?.revision).toBe(2);
    });

    it('lists those of an account, newest first, by state, agent and place', async () => {
      const numbers = [1, 2, 3, 4];
      await ask(
        store,
        0,
        numbers.map((n) => asking(n, { id: idOf(n) })),
      );
      await store.approvals.replace({ approval: decided(await approvalOf(idOf(3)), APPROVE), records: [] }, 1);
      const list = async (filter: Parameters<PolicyStore['approvals']['list']>[1], limit = 10, of = ACCOUNT) =>
        (await store.approvals.list(of, filter, limit)).map(({ id }) => id);
      expect(await list({})).toEqual([4, 3, 2, 1].map(idOf));
      expect(await list({ state: 'pending' }, 2)).toEqual([4, 2].map(idOf));
      expect(await list({ state: 'pending', below: approvalPlace(await approvalOf(idOf(2))) })).toEqual([idOf(1)]);
      expect(await list({ agentId: AGENT, state: 'approved' })).toEqual([idOf(3)]);
      expect(await list({ agentId: '00000000-0000-4000-8000-000000000000' })).toEqual([]);
      expect(await list({}, 10, OTHER_ACCOUNT)).toEqual([]);
      expect([...(await store.approvals.many([idOf(1), 'none'])).keys()]).toEqual([idOf(1)]);
    });

    it('finds what is due, and forgets what has been over for long', async () => {
      await ask(store, 0, [asking(1), asking(2, { id: idOf(2), expiresAt: new Date(EXPIRES_MS + 1).toISOString() })]);
      const due = async (ms: number) => (await store.approvals.due(ms, 10)).map(({ approval }) => approval.id);
      expect(await due(EXPIRES_MS - 1)).toEqual([]);
      expect(await due(EXPIRES_MS + 1)).toEqual([APPROVAL, idOf(2)]);
      await store.approvals.replace({ approval: ended(await approvalOf(), EXPIRES_MS), records: [] }, 1);
      expect(await due(EXPIRES_MS + 1)).toEqual([idOf(2)]);
      expect(await store.approvals.forget(EXPIRES_MS, 10)).toBe(0);
      expect(await store.approvals.forget(EXPIRES_MS + 1, 10)).toBe(1);
      const left: string[] = [];
      for await (const { id } of store.approvals.all()) left.push(id);
      expect(left).toEqual([idOf(2)]);
    });
  });
}

import type { ApprovalFacts } from '@countersign/contracts';
import { createRegistry } from '@countersign/process';
import { killAt } from '@countersign/test-kit';
import { APPROVAL, asking, checkId, EXPIRES_MS, T, using } from '../domain/approvals.test-context.js';
import { AGENT, countersForTests, events, newest, openBench, OTHER_ACCOUNT, parts } from '../policy.test-context.js';
import type { Bench } from '../policy.test-context.js';
import { openSqlitePolicyStore } from '../store/open.js';
import { ApprovalSweep } from './approval-sweep.js';
import { shownSha256 } from './approvals.js';
import type { Approvals } from './approvals.js';
import { approvalsOf, asked, CALLER, FIELDS, follow, person } from './approvals.test-context.js';

const APPROVE = { decision: 'approve' } as const;
const DENY = { decision: 'deny' } as const;
const BOB = person('bob');
const SEES = (): boolean => true;

describe('deciding about approvals', () => {
  let bench: Bench;
  let approvals: Approvals;
  beforeEach(async () => {
    bench = await openBench();
    approvals = approvalsOf(bench);
  });
  afterEach(async () => {
    approvals.waits.stop();
    await bench.cleanup();
  });

  const types = async (): Promise<readonly string[]> =>
    (await events(bench.eventLog)).map(({ leaf }) => leaf.type).filter((type) => type.startsWith('approval.'));
  const outcomes = async (type: string): Promise<readonly unknown[]> =>
    (await events(bench.eventLog)).filter(({ leaf }) => leaf.type === type).map(({ leaf }) => leaf.outcome);
  const published = async (): Promise<ApprovalFacts | null | undefined> =>
    (await newest<ApprovalFacts>(bench.eventLog, 'approvals')).get(APPROVAL)?.value;
  const sweeping = (nowMs: number): ApprovalSweep =>
    new ApprovalSweep(
      { ...bench.context, counters: countersForTests(nowMs), metrics: createRegistry('test', false) },
      bench.store,
      () => undefined,
    );

  it('expires no approval whose use is in the log and was not followed yet', async () => {
    await asked(bench);
    await approvals.decide(BOB, APPROVAL, APPROVE);
    const late = sweeping(EXPIRES_MS + 600_000);
    const use = { topic: 'agent-events', key: AGENT, value: JSON.stringify(using(2)) } as const;
    await bench.eventLog.append([use]);
    for (let n = 0; n < 2; n += 1) expect(await late.sweep()).toBe(1000);
    expect((await bench.store.approvals.find(APPROVAL))?.approval.state).toBe('approved');
    await follow(bench, []);
    await late.sweep();
    expect((await bench.store.approvals.find(APPROVAL))?.approval.state).toBe('consumed');
    expect(await types()).toEqual(['approval.requested', 'approval.decided', 'approval.consumed']);
  });

  it('asks, is approved, is published for the gateways, and is used up', async () => {
    await asked(bench);
    expect(await types()).toEqual(['approval.requested']);
    const shown = shownSha256((await bench.store.approvals.find(APPROVAL))!.approval);
    const approved = await approvals.decide(BOB, APPROVAL, { ...APPROVE, comment: 'fine', shown_sha256: shown });
    expect(approved.state).toBe('approved');
    expect(await published()).toMatchObject({ agentId: AGENT, state: 'approved', bindingSha256: 'd'.repeat(64) });
    const event = (await events(bench.eventLog)).find(({ leaf }) => leaf.type === 'approval.decided');
    expect(event?.leaf).toMatchObject({ refersTo: checkId(1), outcome: 'approved', rule: 'rules:night', v: 2 });
    expect(event?.openings.action?.value).toMatchObject({
      by: 'u-bob',
      role: 'admin',
      comment: 'fine',
      shownSha256: shown,
      latencyMs: expect.any(Number) as number,
    });
    await follow(bench, [using(2)]);
    expect(await published()).toBeNull();
    expect((await bench.store.approvals.find(APPROVAL))?.approval).toMatchObject({ state: 'consumed' });
    expect(await types()).toEqual(['approval.requested', 'approval.decided', 'approval.consumed']);
    await expect(approvals.decide(BOB, APPROVAL, DENY)).rejects.toMatchObject({ status: 403 });
    await expect(approvals.decide(person('eve'), APPROVAL, DENY)).rejects.toMatchObject({ status: 409 });
  });

  it('needs two people where the rule says so, and the same person counts once', async () => {
    await asked(bench, { approvers: { min: 2 } });
    expect((await approvals.decide(BOB, APPROVAL, APPROVE)).state).toBe('pending');
    expect(await published()).toBeUndefined();
    await expect(approvals.decide(BOB, APPROVAL, APPROVE)).rejects.toMatchObject({ status: 403 });
    expect((await approvals.decide(person('eve'), APPROVAL, APPROVE)).state).toBe('approved');
    const decided = (await events(bench.eventLog)).filter(({ leaf }) => leaf.type === 'approval.decided');
    expect(decided).toHaveLength(1);
    expect(decided[0]?.openings.action?.value).toMatchObject({ by: 'u-eve', earlier: [{ by: 'u-bob' }] });
  });

  it('lets one of many decisions at once pass', async () => {
    await asked(bench);
    const people = Array.from({ length: 10 }, (_, n) => person(`p${n}`));
    const results = await Promise.allSettled(
      people.map((each, n) => approvals.decide(each, APPROVAL, n % 2 === 0 ? APPROVE : DENY)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ status: 409 });
    }
    expect(await types()).toEqual(['approval.requested', 'approval.decided']);
  });

  it('refuses the requester, the last editor of the profile, another account and a stale view', async () => {
    await asked(bench, { approvers: { not_requester: true, not_policy_editor: true } });
    await bench.changes.changeProfile({ ...CALLER, actor: { kind: 'user', id: 'u-carol' } }, AGENT, {
      mode: 'observe',
    });
    const refusal = (who: typeof BOB, body: object = APPROVE) =>
      expect(approvals.decide(who, APPROVAL, { ...APPROVE, ...body })).rejects;
    await refusal(person('alice')).toMatchObject({ status: 403 });
    await refusal(person('carol')).toMatchObject({ status: 403 });
    await refusal(person('bob', 'auditor')).toMatchObject({ status: 403 });
    await refusal(person('bob', 'admin', OTHER_ACCOUNT)).toMatchObject({ status: 404 });
    await refusal(BOB, { shown_sha256: 'f'.repeat(64) }).toMatchObject({ status: 409 });
    await bench.changes.changeProfile({ ...CALLER, actor: { kind: 'api_key', id: 'key' } }, AGENT, { mode: 'enforce' });
    expect((await approvals.decide(person('carol'), APPROVAL, APPROVE)).state).toBe('approved');
  });

  it('refuses to approve an action of an agent that is frozen or inactive; a denial is taken', async () => {
    await asked(bench);
    await bench.changes.freeze(CALLER, AGENT, null);
    await expect(approvals.decide(BOB, APPROVAL, APPROVE)).rejects.toMatchObject({ status: 409 });
    await bench.changes.unfreeze(CALLER, AGENT, null);
    // A gateway has frozen it, and the log has not said so yet.
    await bench.counters.freeze(AGENT, Number.MAX_SAFE_INTEGER);
    await expect(approvals.decide(BOB, APPROVAL, APPROVE)).rejects.toMatchObject({ status: 409 });
    await bench.changes.deactivate(CALLER, AGENT, null);
    await expect(approvals.decide(BOB, APPROVAL, APPROVE)).rejects.toMatchObject({ status: 409 });
    expect((await approvals.decide(BOB, APPROVAL, DENY)).state).toBe('denied');
    expect(await published()).toMatchObject({ state: 'denied' });
  });

  it('expires without a decision, and removes the record of a denial that no longer holds', async () => {
    await asked(bench);
    await sweeping(EXPIRES_MS - 10).sweep();
    expect(await types()).toEqual(['approval.requested']);
    await sweeping(EXPIRES_MS).sweep();
    await sweeping(EXPIRES_MS).sweep();
    await bench.announcer.announce();
    expect(await types()).toEqual(['approval.requested', 'approval.expired']);
    expect(await outcomes('approval.expired')).toEqual(['undecided']);
    await expect(approvals.decide(BOB, APPROVAL, APPROVE)).rejects.toMatchObject({ status: 409 });
    const other = 'apr_cccccccc-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
    await follow(bench, [asking(2, { id: other })]);
    await approvals.decide(BOB, other, DENY);
    await sweeping(EXPIRES_MS).sweep();
    await bench.announcer.announce();
    expect((await newest(bench.eventLog, 'approvals')).get(other)).toMatchObject({ version: 2, value: null });
    expect((await bench.store.approvals.find(other))?.approval.state).toBe('denied');
  });

  it.each([
    [{}, [], 'unused'],
    [{ reuse: { until_seconds: 60, scope: 'exact' } as const }, [using(2, { state: 'used' })], 'used'],
  ])('says whether what was approved was used when its time is over: %j', async (rule, uses, outcome) => {
    await asked(bench, rule);
    await approvals.decide(BOB, APPROVAL, APPROVE);
    await follow(bench, uses);
    await sweeping(EXPIRES_MS + 3_600_000).sweep();
    await bench.announcer.announce();
    expect(await outcomes('approval.expired')).toEqual([outcome]);
  });

  it('opens one of an older message without an event, which was written when the message was followed first', async () => {
    await bench.changes.create(AGENT, CALLER, FIELDS);
    await follow(bench, [asking(-48 * 3_600_000)]);
    expect((await bench.store.approvals.find(APPROVAL))?.approval.state).toBe('pending');
    expect(await types()).toEqual([]);
  });

  it('refuses a decision after the time, also before it was swept', async () => {
    await asked(bench, { expiresAt: new Date(T).toISOString() });
    await expect(approvals.decide(BOB, APPROVAL, APPROVE)).rejects.toMatchObject({ status: 409 });
  });

  it('ends a wait at once when it is decided, at its time otherwise, and waits for one that is on its way', async () => {
    const coming = approvals.get(BOB.accountId, APPROVAL, SEES, 5_000);
    await asked(bench);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const begun = performance.now();
    setTimeout(() => void approvals.decide(BOB, APPROVAL, DENY), 50);
    expect((await approvals.get(BOB.accountId, APPROVAL, SEES, 30_000)).state).toBe('denied');
    expect((await coming).state).toBe('denied');
    expect(performance.now() - begun).toBeLessThan(900);
    await expect(approvals.get(BOB.accountId, 'apr_none', SEES, 100)).rejects.toMatchObject({ status: 404 });
    await expect(approvals.get(BOB.accountId, APPROVAL, () => false, 0)).rejects.toMatchObject({ status: 404 });
    // That of another account is waited for as one that is not known.
    const asks = performance.now();
    await expect(approvals.get(OTHER_ACCOUNT, APPROVAL, SEES, 300)).rejects.toMatchObject({ status: 404 });
    expect(performance.now() - asks).toBeGreaterThan(250);
  });
});

describe('killed between any two lines of an approval', () => {
  const MOST_LINES = 60;

  it.each(['before', 'after'] as const)('%s a line: asked, decided and used once each', async (moment) => {
    let lines = 0;
    for (let n = 1; n < MOST_LINES; n += 1) {
      const bench = await openBench();
      await bench.changes.create(AGENT, CALLER, FIELDS);
      const kill = killAt(n, moment);
      const { store, counters, eventLog, directory } = bench;
      const dying = parts(
        { store: kill.wrap(store), eventLog: kill.wrap(eventLog), counters: kill.wrap(counters) },
        directory,
      );
      const story = async (run: typeof dying): Promise<void> => {
        await follow(bench, [asking(1)], run);
        await approvalsOf(run).decide(BOB, APPROVAL, APPROVE);
        await follow(bench, [using(2)], run);
      };
      await story(dying).catch(() => undefined);
      const { happened } = kill;
      await dying.announcer.stop();
      await store.close();
      const again = await openSqlitePolicyStore(bench.file);
      const run = parts({ store: again, eventLog, counters }, directory);
      await run.announcer.start();
      await follow({ ...bench, store: again }, [asking(1)], run);
      await approvalsOf(run)
        .decide(BOB, APPROVAL, APPROVE)
        .catch((error: { readonly status?: number }) => expect([403, 409]).toContain(error.status));
      await follow({ ...bench, store: again }, [using(2)], run);
      const ids = new Set(
        (await events(eventLog))
          .filter(({ leaf }) => leaf.type.startsWith('approval.'))
          .map(({ leaf }) => `${leaf.type} ${leaf.eventId}`),
      );
      expect([...ids].map((id) => id.split(' ')[0]).sort()).toEqual([
        'approval.consumed',
        'approval.decided',
        'approval.requested',
      ]);
      expect((await again.approvals.find(APPROVAL))?.approval.state).toBe('consumed');
      expect((await newest(eventLog, 'approvals')).get(APPROVAL)).toMatchObject({ version: 2, value: null });
      await run.announcer.stop();
      await again.close();
      await eventLog.close();
      if (!happened) break;
      lines = n;
    }
    expect(lines).toBeGreaterThan(8);
    expect(lines).toBeLessThan(MOST_LINES - 1);
  });
});

import type { CheckTrip, LoggedApproval, StaticViolation } from '../port.js';
import { agentSnapshot, EMPTY, eventOf, keyed, START, tripOf } from './counters.test-setup.js';
import type { CountersBench } from './counters.test-setup.js';
import { limitOf, ruleOf, ruleTripOf } from './rule-trips.test-setup.js';

const LIFE_SECONDS = 60;
const ID = ['apr_1', 'apr_2', 'apr_3'] as const;

export function approvalViolation(ruleId: string, bindingSha256: string): StaticViolation {
  return {
    violation_type: 'approval_required',
    severity: 'P2',
    reason: 'a person decides',
    rule: `rules:${ruleId}`,
    detail: null,
    extras: null,
    approval: { ruleId, ruleSha256: 'hash', bindingSha256, expiresSeconds: LIFE_SECONDS },
  };
}

interface Asked {
  readonly id?: string;
  readonly bindings?: readonly string[];
  readonly named?: string | null;
  readonly most?: number;
}

function asking({ id = ID[0], bindings = ['one'], named = null, most = 100 }: Asked): Pick<CheckTrip, 'rules'> {
  return {
    rules: ruleTripOf({
      conditional: bindings.map((binding, rank) =>
        ruleOf({ violation: approvalViolation(`r${rank}`, binding), rank: rank + 1 }),
      ),
      approvals: {
        rules: bindings.map((bindingSha256, rule) => {
          return { rule, ruleId: `r${rule}`, bindingSha256, expiresSeconds: LIFE_SECONDS };
        }),
        candidateId: id,
        mostPending: most,
        namedId: named,
      },
    }),
  };
}

const decided = (id: string, state: 'approved' | 'denied' = 'approved', bindingSha256 = 'one') => ({
  ...{ agentId: 'agent', bindingSha256, id, state, reusable: false },
  expiresAtMs: START + LIFE_SECONDS * 1000,
  usableUntilMs: START + LIFE_SECONDS * 1000,
});

export function approvalsContract(bench: CountersBench): void {
  describe('approvals', () => {
    const ask = async (asked: Asked = {}, more: Partial<CheckTrip> = {}) => {
      const { outcome, asked: answer, approvals } = await bench.judge({ ...asking(asked), ...more });
      return answer === undefined ? [outcome, approvals?.map(({ id }) => id)] : [answer.code, answer.id];
    };

    it('opens one and finds it again', async () => {
      expect((await bench.judge(asking({}))).asked).toEqual({
        code: 'approval_pending',
        id: ID[0],
        expiresAtMs: START + 60_000,
      });
      bench.nowMs += 1000;
      expect(await ask({ id: ID[1] })).toEqual(['approval_pending', ID[0]]);
      expect(await ask({ id: ID[1], bindings: ['two'] })).toEqual(['approval_pending', ID[1]]);
    });

    it('counts a denial towards the plan alone, and does not freeze', async () => {
      const judged = await bench.judge({
        ...asking({}),
        costMicros: 5,
        freezeOnViolation: true,
        rate: { max: 1, per_seconds: 60 },
      });
      expect(judged).toMatchObject({ outcome: 'denied', costMicros: 0, countsRate: false, freezesAgent: false });
      expect(judged.countsAction).toBe(true);
    });

    it('is used once, by one of many checks', async () => {
      await ask();
      await bench.counters.decideApproval(decided(ID[0]));
      const other = await bench.another();
      const checks = Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? bench.counters : other).check(tripOf(asking({ id: ID[1] }))),
      );
      const outcomes = (await Promise.all(checks)).map((result) => 'judgement' in result && result.judgement.outcome);
      expect(outcomes.filter((outcome) => outcome === 'allowed')).toHaveLength(1);
      expect(await ask({ id: ID[2] })).toEqual(['approval_pending', ID[1]]);
      await bench.counters.decideApproval(decided(ID[0]));
      expect(await ask({ id: ID[2] })).toEqual(['approval_pending', ID[1]]);
    });

    it('is not used by a check that is denied otherwise', async () => {
      await ask();
      await bench.counters.decideApproval(decided(ID[0]));
      const { rules } = asking({});
      const denied = await bench.judge({ rules: { ...rules!, limits: [limitOf({ max: { units: 0, nanos: 0 } })] } });
      expect([denied.outcome, denied.violation?.rule, denied.approvals?.length]).toEqual(['denied', 'limits:limit', 1]);
      expect(await ask({ bindings: ['one', 'two'], id: ID[1] })).toEqual(['approval_pending', ID[1]]);
      expect(await ask()).toEqual(['allowed', [ID[0]]]);
    });

    it('needs that of each rule', async () => {
      await ask({ bindings: ['one', 'two'] });
      await bench.counters.decideApproval(decided(ID[0]));
      await ask({ bindings: ['one', 'two'], id: ID[1] });
      await bench.counters.decideApproval(decided(ID[1], 'approved', 'two'));
      expect(await ask({ bindings: ['one', 'two'], id: ID[2] })).toEqual(['allowed', [ID[0], ID[1]]]);
      expect(await ask({ bindings: ['two'], id: ID[2] })).toEqual(['approval_pending', ID[2]]);
    });

    it('is asked for where the named one is of another rule of the check', async () => {
      await ask({ bindings: ['one', 'two'] });
      await bench.counters.decideApproval(decided(ID[0]));
      const both = { bindings: ['one', 'two'], named: ID[0] } as const;
      expect(await ask({ ...both, id: ID[1] })).toEqual(['approval_pending', ID[1]]);
      expect(await ask({ ...both, bindings: ['two', 'three'], id: ID[2] })).toEqual(['out_of_scope', null]);
      await bench.counters.decideApproval(decided(ID[1], 'approved', 'two'));
      expect(await ask({ ...both, id: ID[2] })).toEqual(['allowed', [ID[0], ID[1]]]);
    });

    it('stays denied until it expires', async () => {
      await ask();
      await bench.counters.decideApproval(decided(ID[0], 'denied'));
      await bench.counters.decideApproval(decided(ID[0]));
      expect(await ask({ id: ID[1] })).toEqual(['approval_denied', ID[0]]);
      bench.nowMs += 60_000;
      expect(await ask({ id: ID[1] })).toEqual(['approval_pending', ID[1]]);
    });

    it('expires, whether or not it is decided', async () => {
      await ask();
      await bench.counters.decideApproval(decided(ID[0]));
      bench.nowMs += 60_000;
      expect(await ask({ named: ID[0] })).toEqual(['approval_expired', null]);
      expect(await ask({ id: ID[1] })).toEqual(['approval_pending', ID[1]]);
      await bench.counters.decideApproval(decided(ID[0]));
      expect(await ask({ id: ID[2] })).toEqual(['approval_pending', ID[1]]);
    });

    it('says how the named one differs, and ignores one that is not known', async () => {
      await ask();
      expect(await ask({ bindings: ['two'], named: ID[0] })).toEqual(['out_of_scope', null]);
      expect(await ask({ named: 'apr_unknown' })).toEqual(['approval_pending', ID[0]]);
      await bench.counters.decideApproval(decided(ID[0]));
      expect(await ask({ named: ID[0] })).toEqual(['allowed', [ID[0]]]);
      expect(await ask({ named: ID[0] })).toEqual(['approval_consumed', null]);
      const other = { ...asking({ named: ID[0] }), agentId: 'another' };
      expect((await bench.judge(other)).asked?.code).toBe('approval_pending');
    });

    it('opens no more than the most', async () => {
      await ask({ most: 2 });
      await ask({ most: 2, bindings: ['two'], id: ID[1] });
      expect(await ask({ most: 2, bindings: ['three'], id: ID[2] })).toEqual(['too_many_pending', null]);
      expect(await ask({ most: 2 })).toEqual(['approval_pending', ID[0]]);
      bench.nowMs += 60_000;
      expect(await ask({ most: 2, bindings: ['three'], id: ID[2] })).toEqual(['approval_pending', ID[2]]);
    });

    it('is reusable until its time', async () => {
      await ask();
      const long = { ...decided(ID[0]), reusable: true, usableUntilMs: START + 90_000 };
      await bench.counters.decideApproval(long);
      expect(await ask()).toEqual(['allowed', [ID[0]]]);
      bench.nowMs += 89_999;
      expect(await ask()).toEqual(['allowed', [ID[0]]]);
      bench.nowMs += 1;
      expect(await ask({ id: ID[1] })).toEqual(['approval_pending', ID[1]]);
    });

    it('is asked for and used in observe mode as little as it denies', async () => {
      expect(await ask({}, { observe: true })).toEqual(['allowed', undefined]);
      expect(await ask({ id: ID[1] })).toEqual(['approval_pending', ID[1]]);
    });

    it('is given back with the check that used it', async () => {
      await ask();
      await bench.counters.decideApproval(decided(ID[0]));
      const used = await bench.judge(asking({}));
      await bench.counters.takeBack('account', 'agent', used, null);
      expect(await ask()).toEqual(['allowed', [ID[0]]]);
    });

    it('is repeated with the claim, and given back when that is judged again', async () => {
      await ask();
      await bench.counters.decideApproval(decided(ID[0]));
      const first = await bench.judge({ ...asking({}), ...keyed('k') });
      const again = await bench.counters.check(tripOf({ ...asking({ id: ID[1] }), ...keyed('k') }));
      expect(again).toEqual({ kind: 'claimed', judgement: first });
      const newer = { versions: { account: 1, apiKey: 1, agent: 2 }, ...keyed('k') };
      const newly = await bench.counters.check(tripOf({ ...asking({ id: ID[1] }), ...newer }));
      expect(newly).toMatchObject({ kind: 'rejudged', judgement: { outcome: 'allowed', approvals: [{ id: ID[0] }] } });
      const waits = await bench.judge({ ...asking({ id: ID[2] }), ...keyed('l') });
      expect(await bench.counters.check(tripOf({ ...asking({}), ...keyed('l') }))).toEqual({
        kind: 'claimed',
        judgement: waits,
      });
    });

    it('stays used where its check is judged again while the first answer is under way', async () => {
      await ask();
      await bench.counters.decideApproval(decided(ID[0]));
      await bench.judge({ ...asking({}), ...keyed('k') });
      const frozen = { frozen: true, versions: { account: 1, apiKey: 1, agent: 2 }, ...keyed('k') };
      const again = await bench.counters.check(tripOf({ ...asking({ id: ID[1] }), ...frozen }));
      expect(again).toMatchObject({ kind: 'rejudged', judgement: { outcome: 'frozen' } });
      expect(await ask({ id: ID[1] }, { versions: frozen.versions })).toEqual(['approval_pending', ID[1]]);
    });

    it('is not given back with the second judgement of a check whose first one used it', async () => {
      await ask();
      await bench.counters.decideApproval(decided(ID[0]));
      await bench.judge({ ...asking({}), ...keyed('k') });
      const newer = { versions: { account: 1, apiKey: 1, agent: 2 } };
      const again = await bench.counters.check(tripOf({ ...asking({ id: ID[1] }), ...newer, ...keyed('k') }));
      expect(again).toMatchObject({ kind: 'rejudged', judgement: { approvals: [{ id: ID[0], usedBefore: true }] } });
      if (again.kind !== 'rejudged') return;
      const { keySha256 } = keyed('k').idempotency;
      await bench.counters.takeBack('account', 'agent', again.judgement, keySha256);
      expect(await ask({ id: ID[1] }, newer)).toEqual(['approval_pending', ID[1]]);
    });

    it('makes room for a new one where 1,000 were used', async () => {
      const approvals = Array.from({ length: 1000 }, (_, n): LoggedApproval => {
        return { id: `apr_used-${n}`, bindingSha256: `used-${n}`, expiresAtMs: START + 60_000, isConsumed: true };
      });
      await bench.counters.restore({
        ...EMPTY,
        agents: [agentSnapshot({ rules: { facts: [], limits: [], approvals } })],
      });
      await bench.counters.serve();
      expect(await ask({ most: 2 })).toEqual(['approval_pending', ID[0]]);
      expect(await ask({ most: 2, bindings: ['two'], id: ID[1] })).toEqual(['approval_pending', ID[1]]);
      expect(await ask({ most: 2, bindings: ['three'], id: ID[2] })).toEqual(['too_many_pending', null]);
      await bench.counters.decideApproval(decided(ID[0]));
      expect(await ask()).toEqual(['allowed', [ID[0]]]);
    });

    it('is usable from a snapshot on where it is reusable and its request has expired', async () => {
      const reusable = { ...decided(ID[0]), reusable: true, expiresAtMs: START - 1 };
      const denied = decided(ID[1], 'denied', 'two');
      const waits: LoggedApproval = { ...denied, isConsumed: false };
      await bench.counters.restore({
        ...EMPTY,
        agents: [agentSnapshot({ rules: { facts: [], limits: [], approvals: [waits] } })],
        decisions: [reusable, denied],
      });
      await bench.counters.serve();
      expect(await ask({ id: ID[2] })).toEqual(['allowed', [ID[0]]]);
      expect(await ask({ id: ID[2], bindings: ['two'] })).toEqual(['approval_denied', ID[1]]);
      bench.nowMs += 60_000;
      expect(await ask({ id: ID[2] })).toEqual(['approval_pending', ID[2]]);
    });

    it('is restored from a snapshot and from the log', async () => {
      const logged = (id: string, bindingSha256: string, isConsumed = false): LoggedApproval => {
        return { id, bindingSha256, expiresAtMs: START + 60_000, isConsumed };
      };
      const approvals = [logged(ID[0], 'one'), logged('apr_used', 'used', true)];
      await bench.counters.restore({
        ...EMPTY,
        agents: [agentSnapshot({ rules: { facts: [], limits: [], approvals } })],
      });
      await bench.counters.replay([
        eventOf({ eventId: 'a', order: 1, approvals: [logged(ID[1], 'two')] }),
        eventOf({ eventId: 'b', order: 2, approvals: [logged(ID[1], 'two', true)] }),
        eventOf({ eventId: 'c', order: 3, approvals: [logged(ID[1], 'two'), logged('apr_used', 'used')] }),
      ]);
      await bench.counters.serve();
      for (const [id, binding] of [
        [ID[0], 'one'],
        [ID[1], 'two'],
        ['apr_used', 'used'],
      ] as const) {
        await bench.counters.decideApproval(decided(id, 'approved', binding));
      }
      expect(await ask({ id: ID[2] })).toEqual(['allowed', [ID[0]]]);
      expect(await ask({ id: ID[2], bindings: ['two'], named: ID[1] })).toEqual(['approval_consumed', null]);
      expect(await ask({ id: ID[2], bindings: ['used'] })).toEqual(['approval_pending', ID[2]]);
    });
  });
}

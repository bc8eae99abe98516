import { ALLOW_REPLAY_MS, CLAIM_MS } from '../port.js';
import { answerOf, deniedOf, EMPTY, keyed, START, tripOf, VIOLATION } from './counters.test-setup.js';
import type { CountersBench } from './counters.test-setup.js';

/** Idempotency keys, and reverted checks. */
export function repetitionsContract(bench: CountersBench): void {
  const { judge, outcomeOf, kindOf, actions } = bench;

  describe('idempotency', () => {
    it('gives an answered key the same answer, another body a conflict, and counts nothing twice', async () => {
      await judge({ ...keyed('k'), costMicros: 5 });
      await bench.counters.answered('account', 'k', answerOf('e1'));
      expect(await bench.counters.check(tripOf(keyed('k')))).toEqual({ kind: 'answered', answer: answerOf('e1') });
      expect(await kindOf(keyed('k', 'other body'))).toBe('conflict');
      expect(await actions()).toBe(1);
    });

    it('keeps the first answer', async () => {
      await judge(keyed('k'));
      await bench.counters.answered('account', 'k', answerOf('e1'));
      await bench.counters.answered('account', 'k', answerOf('e2'));
      expect(await bench.counters.check(tripOf(keyed('k')))).toEqual({ kind: 'answered', answer: answerOf('e1') });
    });

    it('returns the answer of a key for as long as its claim exists', async () => {
      const answer = (key: string) => bench.counters.answerOf('account', key);
      expect(await answer('k')).toBeNull();
      await judge(keyed('k'));
      expect(await answer('k')).toBeNull();
      await bench.counters.answered('account', 'k', answerOf('e1'));
      await judge({ ...keyed('frozen'), frozen: true });
      await bench.counters.answered('account', 'frozen', answerOf('e2', 403));
      expect(await answer('k')).toEqual(answerOf('e1'));
      expect(await answer('frozen')).toBeNull();
      expect(await bench.counters.answerOf('other', 'k')).toBeNull();
      bench.nowMs += CLAIM_MS - 1;
      expect(await answer('k')).toEqual(answerOf('e1'));
      bench.nowMs += 1;
      expect(await answer('k')).toBeNull();
    });

    it('keys are scoped to the account', async () => {
      await judge(keyed('k'));
      expect(await kindOf({ ...keyed('k', 'other body'), accountId: 'other' })).toBe('judged');
    });

    it('gives an open key its existing judgement', async () => {
      const judgement = await judge({ ...keyed('k'), costMicros: 5 });
      bench.nowMs += 60_000;
      expect(await bench.counters.check(tripOf({ ...keyed('k'), costMicros: 5 }))).toEqual({
        kind: 'claimed',
        judgement,
      });
      expect(await kindOf(keyed('k', 'other body'))).toBe('conflict');
      expect(await actions()).toBe(1);
    });

    it('an API key’s own version does not reopen a claim', async () => {
      const judgement = await judge(keyed('k'));
      const retry = tripOf({ ...keyed('k'), apiKeyId: 'another key', versions: { account: 1, apiKey: 8, agent: 1 } });
      expect(await bench.counters.check(retry)).toEqual({ kind: 'claimed', judgement });
    });

    it.each([
      ['the agent’s profile', { versions: { account: 1, apiKey: 1, agent: 2 } }],
      ['the plan', { versions: { account: 2, apiKey: 1, agent: 1 } }],
      ['the freeze flag', { frozen: true }],
    ])('judges an open key again when %s changed, and reverts what it had counted', async (_what, change) => {
      const rate = { max: 1, per_seconds: 3600 };
      const spending = { limitMicros: 10, window: 'day' } as const;
      const superseded = await judge({ ...keyed('k'), costMicros: 10, spending, rate });
      bench.nowMs += 1000;
      const again = tripOf({ ...keyed('k'), costMicros: 10, spending, rate, ...change });
      const result = await bench.counters.check(again);
      expect(result).toMatchObject({ kind: 'rejudged', superseded });
      if (result.kind !== 'rejudged') return;
      expect(result.judgement).toMatchObject({ nowMs: bench.nowMs, entropy: again.entropy, versions: again.versions });
      expect(result.judgement.outcome).toBe('frozen' in change ? 'frozen' : 'allowed');
      expect(await actions()).toBe('frozen' in change ? 0 : 1);
      expect(await bench.counters.check({ ...again, entropy: 'later' })).toEqual({
        kind: 'claimed',
        judgement: result.judgement,
      });
    });

    it('a gateway older than the claim’s versions is stale and changes nothing', async () => {
      const judgement = await judge({ ...keyed('k'), versions: { account: 1, apiKey: 1, agent: 7 } });
      expect(await bench.counters.check(tripOf(keyed('k')))).toEqual({
        kind: 'stale',
        versions: { account: 1, apiKey: 1, agent: 7 },
      });
      const fresh = tripOf({ ...keyed('k'), versions: { account: 1, apiKey: 1, agent: 7 } });
      expect(await bench.counters.check(fresh)).toEqual({ kind: 'claimed', judgement });
    });

    it('an answer to a superseded judgement is not kept', async () => {
      const old = await judge(keyed('k'));
      const change = { versions: { account: 1, apiKey: 1, agent: 2 } };
      const result = await bench.counters.check(tripOf({ ...keyed('k'), ...change }));
      if (result.kind !== 'rejudged') throw new Error(result.kind);
      await bench.counters.answered('account', 'k', answerOf('old'), old.entropy);
      expect(await kindOf({ ...keyed('k'), ...change })).toBe('claimed');
      await bench.counters.answered('account', 'k', answerOf('new'), result.judgement.entropy);
      expect(await bench.counters.check(tripOf({ ...keyed('k'), ...change }))).toEqual({
        kind: 'answered',
        answer: answerOf('new'),
      });
    });

    it('does not replay refusals: they end the claim', async () => {
      expect(await outcomeOf({ ...keyed('k'), frozen: true })).toBe('frozen');
      await bench.counters.answered('account', 'k', answerOf('e1', 403));
      expect(await outcomeOf(keyed('k', 'even another body'))).toBe('allowed');
    });

    it.each([
      [
        'the agent’s profile changed',
        { versions: { account: 1, apiKey: 1, agent: 2 }, profileVersion: 2 },
        0,
        'allowed',
      ],
      ['the agent was frozen', { frozen: true }, 0, 'frozen'],
      ['ten minutes passed', {}, ALLOW_REPLAY_MS, 'allowed'],
    ])('judges an answered key as a new check when it was allowed and %s', async (_what, change, ms, outcome) => {
      const first = await judge({ ...keyed('k'), costMicros: 5 });
      await bench.counters.answered('account', 'k', answerOf('e1'), first.entropy);
      bench.nowMs += ms === 0 ? ALLOW_REPLAY_MS - 1 : ms - 1;
      expect(await kindOf(keyed('k'))).toBe('answered');
      bench.nowMs += ms === 0 ? 0 : 1;
      const trip = tripOf({ ...keyed('k'), costMicros: 5, ...change });
      const result = await bench.counters.check(trip);
      expect(result).toMatchObject({ kind: 'judged', judgement: { outcome, entropy: trip.entropy } });
      // An answered check stays counted: the action may have been executed.
      expect(await actions()).toBe(outcome === 'frozen' ? 1 : 2);
      expect(await kindOf({ ...keyed('k', 'other body'), ...change })).toBe('conflict');
      if (result.kind !== 'judged' || outcome === 'frozen') return;
      expect(await kindOf({ ...keyed('k'), ...change })).toBe('claimed');
      await bench.counters.answered('account', 'k', answerOf('e2'), trip.entropy);
      expect(await bench.counters.check(tripOf({ ...keyed('k'), ...change }))).toEqual({
        kind: 'answered',
        answer: answerOf('e2'),
      });
    });

    it('judges an allowed key as a new check where only the counters know of the freeze', async () => {
      await judge(keyed('k'));
      await bench.counters.answered('account', 'k', answerOf('e1'));
      await bench.counters.freeze('agent', bench.nowMs);
      expect(await outcomeOf(keyed('k'))).toBe('frozen');
      await bench.counters.answered('account', 'k', answerOf('e2', 403));
      await bench.counters.unfreeze('agent');
      expect(await kindOf(keyed('k', 'other body'))).toBe('conflict');
      expect(await bench.counters.check(tripOf(keyed('k')))).toEqual({ kind: 'answered', answer: answerOf('e1') });
    });

    it('gives a gateway that is older than a raised version no allowed answer', async () => {
      await judge(keyed('k'));
      await bench.counters.answered('account', 'k', answerOf('e1'));
      await bench.counters.raise('agent', 'agent', 2);
      expect(await kindOf(keyed('k'))).toBe('stale');
    });

    it('replays a denial for 24 hours, whatever changed', async () => {
      const denied = deniedOf('e1');
      await judge({ ...keyed('k'), violation: VIOLATION });
      await bench.counters.answered('account', 'k', denied);
      bench.nowMs = START + CLAIM_MS - 1;
      const change = { frozen: true, profileVersion: 2, versions: { account: 2, apiKey: 1, agent: 2 } };
      expect(await bench.counters.check(tripOf({ ...keyed('k'), ...change }))).toEqual({
        kind: 'answered',
        answer: denied,
      });
    });

    it('remembers for 24 hours', async () => {
      await judge({ ...keyed('answered'), violation: VIOLATION });
      await bench.counters.answered('account', 'answered', deniedOf('e1'));
      await judge(keyed('open'));
      bench.nowMs = START + CLAIM_MS - 1;
      expect(await kindOf(keyed('answered'))).toBe('answered');
      expect(await kindOf(keyed('open'))).toBe('claimed');
      bench.nowMs = START + CLAIM_MS;
      expect(await kindOf(keyed('answered', 'other body'))).toBe('judged');
      expect(await kindOf(keyed('open', 'other body'))).toBe('judged');
    });
  });

  describe('the bounds of idempotency keys', () => {
    const of = (accountId: string, key: string) => ({ ...keyed(`${accountId} ${key}`), accountId });
    const answered = async (accountId: string, key: string) => {
      const { entropy } = await judge(of(accountId, key));
      await bench.counters.answered(accountId, `${accountId} ${key}`, deniedOf(key), entropy);
      bench.nowMs += 1;
    };

    it('an account at its bound forgets its oldest answered key, and no other account’s', async () => {
      await bench.reopen({ all: 100, account: 3 });
      await answered('small', '1');
      await judge(of('large', 'open'));
      bench.nowMs += 1;
      for (let n = 1; n <= 10; n += 1) await answered('large', `${n}`);
      expect(await bench.counters.claims()).toEqual({ open: 1, answered: 3, evicted: 8 });
      expect(await kindOf(of('large', '10'))).toBe('answered');
      expect(await kindOf(of('large', 'open'))).toBe('claimed');
      expect(await kindOf(of('small', '1'))).toBe('answered');
      // Forgotten, so it is a new check.
      expect(await kindOf(of('large', '1'))).toBe('judged');
    });

    it('an account all of whose keys are pending gets no more; it counts nothing, others are not affected', async () => {
      await bench.reopen({ all: 100, account: 3 });
      for (const key of ['1', '2', '3']) await judge(of('large', key));
      expect(await bench.counters.check(tripOf(of('large', '4')))).toEqual({ kind: 'crowded', most: 3 });
      expect(await actions('large')).toBe(3);
      expect(await kindOf(of('large', '1'))).toBe('claimed');
      expect(await kindOf({ accountId: 'large' })).toBe('judged');
      expect(await kindOf(of('small', '1'))).toBe('judged');
      await bench.counters.answered('large', 'large 2', answerOf('e', 403));
      expect(await kindOf(of('large', '4'))).toBe('judged');
      bench.nowMs += CLAIM_MS;
      for (const key of ['5', '6', '7']) expect(await kindOf(of('large', key))).toBe('judged');
      expect(await kindOf(of('large', '8'))).toBe('crowded');
    });

    it('at the overall bound the account with the most keys forgets its oldest', async () => {
      await bench.reopen({ all: 6, account: 5 });
      for (const key of ['1', '2', '3', '4']) await answered('large', key);
      for (const key of ['1', '2', '3']) await answered('small', key);
      for (const key of ['1', '2', '3']) expect(await kindOf(of('small', key))).toBe('answered');
      expect(await bench.counters.claims()).toEqual({ open: 0, answered: 6, evicted: 1 });
      expect(await kindOf(of('large', '2'))).toBe('answered');
      expect(await kindOf(of('large', '1'))).toBe('judged');
    });

    it('hold after a rebuild', async () => {
      await bench.reopen({ all: 100, account: 2 });
      const fresh = await bench.another();
      const claims = ['3', '1', '2'].map((key) => ({
        accountId: 'large',
        keySha256: `large ${key}`,
        bodySha256: 'body',
        occurredAtMs: START - 10 + Number(key),
        profileVersion: 1,
        answer: answerOf(key),
      }));
      await fresh.restore({
        ...EMPTY,
        claims: [...claims, { ...claims[0]!, accountId: 'small', keySha256: 'small 1' }],
      });
      await fresh.serve();
      expect((await fresh.claims()).answered).toBe(3);
      for (const key of ['2', '3']) expect((await fresh.check(tripOf(of('large', key)))).kind).toBe('answered');
      expect((await fresh.check(tripOf(of('small', '1')))).kind).toBe('answered');
      expect((await fresh.check(tripOf(of('large', '1')))).kind).toBe('judged');
    });
  });

  describe('reverting', () => {
    const rate = { max: 1, per_seconds: 3600 };
    const spending = { limitMicros: 10, window: 'month' } as const;
    const full = { costMicros: 10, spending, rate };

    it('undoes action, spending and rate', async () => {
      const judgement = await judge(full);
      expect(await outcomeOf(full)).toBe('denied');
      await bench.counters.takeBack('account', 'agent', judgement, null);
      expect(await actions()).toBe(1);
      expect(await outcomeOf(full)).toBe('allowed');
      expect(await bench.counters.usage('account')).toMatchObject({ actionsInPeriod: 2, actionsEver: 2 });
    });

    it('drops the claim', async () => {
      const judgement = await judge({ ...keyed('k'), ...full });
      await bench.counters.takeBack('account', 'agent', judgement, 'k');
      expect(await actions()).toBe(0);
      expect(await outcomeOf({ ...keyed('k', 'other body'), ...full })).toBe('allowed');
    });

    it('gives a key its former answer back', async () => {
      await judge(keyed('k'));
      await bench.counters.answered('account', 'k', answerOf('e1'));
      bench.nowMs += ALLOW_REPLAY_MS;
      for (const body of ['other body', 'other body again']) {
        const judgement = await judge(keyed('k'));
        expect(await bench.counters.claims()).toMatchObject({ open: 1, answered: 0 });
        await bench.counters.takeBack('account', 'agent', judgement, 'k');
        expect(await bench.counters.claims()).toMatchObject({ open: 0, answered: 1 });
        expect(await bench.counters.answerOf('account', 'k')).toEqual(answerOf('e1'));
        expect(await kindOf(keyed('k', body))).toBe('conflict');
      }
      await judge(keyed('k'));
      await bench.counters.answered('account', 'k', answerOf('e2'));
      expect(await bench.counters.answerOf('account', 'k')).toEqual(answerOf('e2'));
      expect(await actions()).toBe(2);
    });

    it('gives a former answer back for the rest of its time', async () => {
      await judge(keyed('k'));
      await bench.counters.answered('account', 'k', answerOf('e1'));
      bench.nowMs += CLAIM_MS - 2;
      const judgement = await judge(keyed('k'));
      const again = await bench.counters.check(
        tripOf({ ...keyed('k'), versions: { account: 1, apiKey: 1, agent: 2 }, frozen: true }),
      );
      expect(again.kind).toBe('rejudged');
      if (again.kind !== 'rejudged') return;
      await bench.counters.takeBack('account', 'agent', judgement, 'k');
      expect(await bench.counters.answerOf('account', 'k')).toBeNull();
      await bench.counters.takeBack('account', 'agent', again.judgement, 'k');
      expect(await bench.counters.answerOf('account', 'k')).toEqual(answerOf('e1'));
      bench.nowMs += 2;
      expect(await bench.counters.answerOf('account', 'k')).toBeNull();
      expect(await kindOf(keyed('k', 'other body'))).toBe('judged');
    });

    it('leaves the windows of a later day and month alone', async () => {
      const judgement = await judge(full);
      bench.nowMs = Date.UTC(2026, 11, 1);
      await judge({ costMicros: 10 });
      await bench.counters.takeBack('account', 'agent', judgement, null);
      expect(await outcomeOf({ costMicros: 1, spending })).toBe('denied');
      expect(await bench.counters.usage('account')).toMatchObject({ actionsInPeriod: 2, actionsEver: 2 });
    });

    it('happens only when every attempt with this judgement has failed', async () => {
      const judgement = await judge({ ...keyed('k'), ...full });
      expect(await kindOf({ ...keyed('k'), ...full })).toBe('claimed');
      await bench.counters.takeBack('account', 'agent', judgement, 'k');
      expect(await actions()).toBe(1);
      expect(await kindOf({ ...keyed('k'), ...full })).toBe('claimed');
      await bench.counters.takeBack('account', 'agent', judgement, 'k');
      await bench.counters.takeBack('account', 'agent', judgement, 'k');
      expect(await actions()).toBe(0);
      expect(await kindOf({ ...keyed('k'), ...full })).toBe('judged');
    });

    it('does nothing once the claim was answered or judged again', async () => {
      const answered = await judge(keyed('k'));
      await bench.counters.answered('account', 'k', answerOf('e1'));
      await bench.counters.takeBack('account', 'agent', answered, 'k');
      const old = await judge(keyed('l'));
      await bench.counters.check(tripOf({ ...keyed('l'), versions: { account: 1, apiKey: 1, agent: 2 } }));
      await bench.counters.takeBack('account', 'agent', old, 'l');
      expect(await actions()).toBe(2);
    });
  });
}

import { CLAIM_MS } from '../port.js';
import { answerOf, keyed, START, tripOf } from './counters.test-setup.js';
import type { CountersBench } from './counters.test-setup.js';

/** Idempotency keys, and checks that are taken back. */
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

    it('keys are the account’s own', async () => {
      await judge(keyed('k'));
      expect(await kindOf({ ...keyed('k', 'other body'), accountId: 'other' })).toBe('judged');
    });

    it('gives an open key the judgement that it has', async () => {
      const judgement = await judge({ ...keyed('k'), costMicros: 5 });
      bench.nowMs += 60_000;
      expect(await bench.counters.check(tripOf({ ...keyed('k'), costMicros: 5 }))).toEqual({
        kind: 'claimed',
        judgement,
      });
      expect(await kindOf(keyed('k', 'other body'))).toBe('conflict');
      expect(await actions()).toBe(1);
    });

    it('an API key’s version of its own does not reopen a claim', async () => {
      const judgement = await judge(keyed('k'));
      const retry = tripOf({ ...keyed('k'), apiKeyId: 'another key', versions: { account: 1, apiKey: 8, agent: 1 } });
      expect(await bench.counters.check(retry)).toEqual({ kind: 'claimed', judgement });
    });

    it.each([
      ['the agent’s profile', { versions: { account: 1, apiKey: 1, agent: 2 } }],
      ['the plan', { versions: { account: 2, apiKey: 1, agent: 1 } }],
      ['the freeze flag', { frozen: true }],
    ])('judges an open key anew when %s changed, and takes back what it had counted', async (_what, change) => {
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

    it('a gateway behind the claim’s versions is stale and changes nothing', async () => {
      const judgement = await judge({ ...keyed('k'), versions: { account: 1, apiKey: 1, agent: 7 } });
      expect(await bench.counters.check(tripOf(keyed('k')))).toEqual({
        kind: 'stale',
        versions: { account: 1, apiKey: 1, agent: 7 },
      });
      const fresh = tripOf({ ...keyed('k'), versions: { account: 1, apiKey: 1, agent: 7 } });
      expect(await bench.counters.check(fresh)).toEqual({ kind: 'claimed', judgement });
    });

    it('an answer to a judgement that was made anew is not kept', async () => {
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

    it('remembers for 24 hours', async () => {
      await judge(keyed('answered'));
      await bench.counters.answered('account', 'answered', answerOf('e1'));
      await judge(keyed('open'));
      bench.nowMs = START + CLAIM_MS - 1;
      expect(await kindOf(keyed('answered'))).toBe('answered');
      expect(await kindOf(keyed('open'))).toBe('claimed');
      bench.nowMs = START + CLAIM_MS;
      expect(await kindOf(keyed('answered', 'other body'))).toBe('judged');
      expect(await kindOf(keyed('open', 'other body'))).toBe('judged');
    });
  });

  describe('taking back', () => {
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

    it('does nothing once the claim was answered or judged anew', async () => {
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

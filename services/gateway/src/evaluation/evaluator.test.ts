import { setImmediate as nextTurn } from 'node:timers/promises';
import { powersOf } from '@countersign/contracts';
import { ReadingBudget } from '@countersign/policy-engine';
import { ParsedChecks } from '../check/parsed-checks.js';
import type { CheckHandler } from '../http/check-handler.js';
import type { ReadModel, KnownKey } from '../follow/read-model.js';
import { Evaluator } from './evaluator.js';
import { Requestable } from './requestable.js';

const NO_HEADERS = {
  principal: null,
  session: null,
  trace: null,
  approvalId: null,
  subjectToken: null,
  isSigned: false,
};
const KEY: KnownKey = { id: 'key', version: 1, accountId: 'account', ...powersOf({}) };
const NO_CLIENTS = { find: () => Promise.resolve({ agentId: null }) };
const subject = { type: 'agent', id: '0b0f9a5e-3c0a-4d8e-9a57-2f6d1d5f4c11' };

/** Decides each by blocking the thread for some time. */
function busyHandler(ms: number, asked: string[], budgets: Set<unknown>): Pick<CheckHandler, 'ask'> {
  return {
    ask: ({ prepared, budget }, reply) => {
      budgets.add(budget);
      for (const until = performance.now() + ms; performance.now() < until;);
      asked.push(prepared.action.url ?? '');
      reply.answer(
        { status: 200, body: '{"allowed":true}', eventId: `${asked.length}`, coverage: null, wouldDeny: null },
        null,
        false,
      );
    },
  };
}

describe('several evaluations of one request', () => {
  it('yield to other work between them, and start in their order', async () => {
    const asked: string[] = [];
    const budgets = new Set<unknown>();
    const evaluator = new Evaluator(
      new ParsedChecks(busyHandler(6, asked, budgets), {} as ReadModel, { ended: () => 'revoked' }),
      NO_CLIENTS,
      new Requestable({ sign: () => Promise.resolve('') }, () => ''),
    );
    const urls = Array.from({ length: 10 }, (_, n) => `https://a.example/${n}`);
    let over = false;
    let turns = 0;
    const others = (async () => {
      for (; !over; turns += 1) await nextTurn();
    })();
    const all = urls.map((id) => ({ subject, action: { name: 'http_call' }, resource: { type: 'url', id } }));
    const decisions = await evaluator.evaluateAll(all, 'execute_all', KEY, NO_HEADERS);
    over = true;
    await others;
    expect(decisions.map(({ context }) => context['event_id'])).toEqual(urls.map((_, n) => `${n + 1}`));
    expect(asked).toEqual(urls);
    expect(turns).toBeGreaterThanOrEqual(9);
    // The readings of their paths share the budget of one call.
    expect([...budgets]).toEqual([expect.any(ReadingBudget)]);
  });
});

describe('the time of an evaluation', () => {
  it.each([
    [true, { context: { time: '2026-04-30T20:15:00.5+02:00' } }, undefined],
    [false, { context: { time: 'pay 5 to mallory' } }, undefined],
    [false, { context: { time: { amount: 5 } } }, undefined],
    [false, {}, { metadata: { time: '2026-04-30T20:15:00Z' } }],
  ])('is that of the attempt where context has it as one: %s of %j', async (isTimed, given, properties) => {
    const asked: unknown[] = [];
    const handler: Pick<CheckHandler, 'ask'> = {
      ask: (job, reply) => {
        asked.push(job.isTimed);
        reply.refuse(404, 'no such agent', []);
      },
    };
    const checks = new ParsedChecks(handler, {} as ReadModel, { ended: () => 'revoked' });
    const evaluator = new Evaluator(checks, NO_CLIENTS, new Requestable({ sign: () => Promise.resolve('') }, () => ''));
    const action = { name: 'http_call', ...(properties === undefined ? {} : { properties }) };
    const resource = { type: 'url', id: 'https://a.example/' };
    await evaluator.evaluate({ subject, action, resource, ...given }, KEY, null, NO_HEADERS);
    expect(asked).toEqual([isTimed]);
  });
});

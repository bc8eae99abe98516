import { Countersign } from '../index.js';
import { begin, isDenied, untilItsEnd } from './begun-action.js';

const AGENT = '0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77';

/** A client of a service that allows or denies everything, and the outcomes that were reported to it. */
function service(allowed: boolean): { client: Countersign; outcomes: unknown[] } {
  const outcomes: unknown[] = [];
  const fetch = (url: string, { body }: RequestInit): Promise<Response> => {
    if (url.endsWith('/v1/mcp/log')) {
      outcomes.push((JSON.parse(body as string) as { outcome: unknown }).outcome);
      return Promise.resolve(new Response('{}', { status: 201 }));
    }
    const headers = { 'x-event-id': 'e-1' };
    const answer = allowed ? { allowed } : { allowed, reason: 'no', severity: 'P1' };
    return Promise.resolve(new Response(JSON.stringify(answer), { headers }));
  };
  return { client: new Countersign({ apiKey: 'k', agentId: AGENT, fetch }), outcomes };
}

async function* counting(to: number): AsyncGenerator<number, string> {
  for (let n = 1; n <= to; n += 1) yield n;
  return 'counted';
}

describe('a begun action', () => {
  it('is reported once, when its end is reported', async () => {
    const { client, outcomes } = service(true);
    const begun = await begin(client, { actionType: 'pay' });
    expect([begun.check.allowed, outcomes]).toEqual([true, []]);
    await begun.succeeded();
    await begun.failed();
    expect(outcomes).toEqual(['succeeded']);
  });

  it('does not begin if it is denied', async () => {
    const { client, outcomes } = service(false);
    const thrown = await begin(client, { actionType: 'pay' }).catch((error: unknown) => error);
    expect([isDenied(thrown), outcomes]).toEqual([true, []]);
  });

  it('streams its pieces and its result, and has succeeded then', async () => {
    const { client, outcomes } = service(true);
    const pieces = untilItsEnd(await begin(client, { actionType: 'pay' }), counting(2));
    const given = [await pieces.next(), await pieces.next()];
    expect([given.map(({ value }) => value), outcomes]).toEqual([[1, 2], []]);
    expect([await pieces.next(), outcomes]).toEqual([{ done: true, value: 'counted' }, ['succeeded']]);
  });

  it('has failed if its pieces are not read to their end', async () => {
    const { client, outcomes } = service(true);
    for await (const piece of untilItsEnd(await begin(client, { actionType: 'pay' }), counting(3))) {
      if (piece === 2) break;
    }
    expect(outcomes).toEqual(['failed']);
  });
});

import { EventEmitter } from 'node:events';
import { Countersign, type Action } from '../index.js';
import { judge } from './http-request.js';

const AGENT = '0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77';
const pay = { action: () => ({ actionType: 'pay' }) };
const request = { headers: {} };

class AnswerUnderWay extends EventEmitter {
  statusCode = 200;
  writableFinished = false;

  /** As Node does: `finish` where all was sent, `close` in any case. */
  end(statusCode: number | null): void {
    if (statusCode !== null) {
      this.statusCode = statusCode;
      this.writableFinished = true;
      this.emit('finish');
    }
    this.emit('close');
  }
}

/** A client of a service that answers every check so, and a promise of the outcome that is reported to it. */
function service(status: number, answer: object): { client: Countersign; outcome: Promise<unknown> } {
  let report: (outcome: unknown) => void;
  const outcome = new Promise((resolve) => (report = resolve));
  const fetch = (url: string, { body }: RequestInit): Promise<Response> => {
    if (url.endsWith('/v1/mcp/log')) {
      report((JSON.parse(body as string) as { outcome: unknown }).outcome);
      return Promise.resolve(new Response('{}', { status: 201 }));
    }
    return Promise.resolve(new Response(JSON.stringify(answer), { status, headers: { 'x-event-id': 'e-1' } }));
  };
  return { client: new Countersign({ apiKey: 'k', agentId: AGENT, fetch, retries: 0 }), outcome };
}

describe('a request', () => {
  it.each([
    [200, 'succeeded'],
    [302, 'succeeded'],
    [404, 'failed'],
    [500, 'failed'],
    [null, 'failed'],
  ])('that was allowed and ended with %j has %s', async (status, expected) => {
    const { client, outcome } = service(200, { allowed: true });
    const response = new AnswerUnderWay();
    expect(await judge(client, request, response, pay)).toBe('go');
    response.end(status);
    expect(await outcome).toBe(expected);
  });

  it.each([
    ['denied by its policy', 200, { allowed: false, reason: 'no', severity: 'P1', violation_type: 'off_limits' }, 403],
    ['of a frozen agent', 403, { reason: 'frozen', code: 'agent_frozen' }, 403],
    ['of an unknown agent', 404, { error: 'no such agent' }, 403],
    ['with a wrong key', 401, { error: 'a valid API key is needed' }, 503],
    ['at the end of the plan', 429, { reason: 'upgrade', code: 'plan_action_cap' }, 503],
    ['of a service that is not there', 503, { reason: 'down' }, 503],
  ])('%s is not handled', async (_what, status, answer, expected) => {
    const { client } = service(status, answer);
    const judged = await judge(client, request, new AnswerUnderWay(), pay);
    if (typeof judged === 'string') throw new Error(judged);
    const body = JSON.parse(judged.body) as Record<string, unknown>;
    expect([judged.status, body['allowed']]).toEqual([expected, false]);
    // What is wrong with the service's own account is not the caller's to read.
    if (expected === 503) expect(body['reason']).toMatch(/was not decided/u);
    else expect(body).toMatchObject({ reason: (answer as { reason?: string }).reason ?? 'no such agent' });
  });

  it('is not handled if the connection is closed, and not checked without an action', async () => {
    const fetch = (_url: string, { signal }: RequestInit): Promise<Response> =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('left'))));
    const client = new Countersign({ apiKey: 'k', agentId: AGENT, fetch });
    const response = new AnswerUnderWay();
    const judged = judge(client, request, response, pay);
    setImmediate(() => response.end(null));
    expect(await judged).toBe('gone');
    expect(await judge(client, request, new AnswerUnderWay(), { action: () => null })).toBe('go');
  });

  it('is not checked if the connection was closed while its action was determined, or before', async () => {
    const asked: string[] = [];
    const fetch = (url: string): Promise<Response> => {
      asked.push(url);
      return Promise.resolve(new Response('{"allowed":true}'));
    };
    const client = new Countersign({ apiKey: 'k', agentId: AGENT, fetch });
    const leaving = new AnswerUnderWay();
    const action = async (): Promise<Action> => {
      await Promise.resolve();
      leaving.end(null);
      return { actionType: 'pay' };
    };
    const left = Object.assign(new AnswerUnderWay(), { destroyed: true });
    const judged = [await judge(client, request, leaving, { action }), await judge(client, request, left, pay)];
    expect([judged, asked]).toEqual([['gone', 'gone'], []]);
    expect([leaving, left].map((one) => one.listenerCount('close'))).toEqual([0, 0]);
  });

  it('is an error if its action is invalid', async () => {
    const { client } = service(200, { allowed: true });
    const judged = judge(client, request, new AnswerUnderWay(), { action: () => ({ actionType: '' }) });
    await expect(judged).rejects.toThrow(TypeError);
  });
});

import { Countersign } from './client.js';
import type { CallOptions } from './options.js';

const ALLOWED = { status: 200, headers: { 'content-type': 'application/json' } };
const PENDING = { allowed: false, reason: 'r', severity: 'P2', code: 'approval_pending', approval_id: 'apr_1' };

/** A client whose requests are kept, and answered in order; the last answer repeats. */
function clientWith(answers: readonly object[], more: object = {}): { client: Countersign; sent: [string, Headers][] } {
  const sent: [string, Headers][] = [];
  const left = [...answers];
  const answer = (url: unknown, init?: RequestInit): Promise<Response> => {
    sent.push([String(url), new Headers(init?.headers)]);
    return Promise.resolve(new Response(JSON.stringify(left.length > 1 ? left.shift() : left[0]), ALLOWED));
  };
  return { client: new Countersign({ apiKey: 'k', agentId: 'a', fetch: answer, ...more }), sent };
}

const namesOf = (headers: Headers): (string | null)[] =>
  ['x-countersign-session', 'x-countersign-principal', 'traceparent'].map((name) => headers.get(name));

describe('session, principal and trace of a check', () => {
  it('are those of the call, else of the constructor, else none', async () => {
    const { client, sent } = clientWith([{ allowed: true }], { session: 's-1', principal: 'ann' });
    await client.check({ actionType: 'a' });
    await client.check({ actionType: 'a' }, { session: 's 2', traceparent: 't' });
    const bare = clientWith([{ allowed: true }]);
    await bare.client.check({ actionType: 'a' });
    expect([...sent, ...bare.sent].map(([, headers]) => namesOf(headers))).toEqual([
      ['s-1', 'ann', null],
      ['s 2', 'ann', 't'],
      [null, null, null],
    ]);
  });

  it('are the same in the check after an approval, which is bound to them', async () => {
    const { client, sent } = clientWith([PENDING, { state: 'approved' }, { allowed: true }]);
    const options = { session: 's', principal: 'p', traceparent: 't', waitForApprovalMs: 1000 };
    expect(await client.check({ actionType: 'a' }, options)).toMatchObject({ allowed: true });
    const checks = sent.filter(([url]) => url.endsWith('/v1/check'));
    expect(checks.map(([, headers]) => namesOf(headers))).toEqual([
      ['s', 'p', 't'],
      ['s', 'p', 't'],
    ]);
  });

  it.each(['session', 'principal', 'traceparent'] as const)(
    'that no header can have is refused before a request: %s',
    async (member) => {
      const { client, sent } = clientWith([{ allowed: true }]);
      for (const value of ['', ' a', 'a\n', 'ä', 'x'.repeat(201), 1]) {
        const options = { [member]: value } as CallOptions;
        await expect(client.check({ actionType: 'a' }, options)).rejects.toThrow(
          new RegExp(`^${member}: 1 to 200`, 'u'),
        );
        if (member !== 'traceparent') expect(() => clientWith([], options)).toThrow(TypeError);
      }
      expect(sent).toEqual([]);
    },
  );
});

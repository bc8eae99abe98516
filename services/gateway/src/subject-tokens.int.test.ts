import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TrustedIssuer } from '@countersign/contracts';
import { readContext } from '@countersign/evidence';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import type { CryptoKey } from 'jose';
import { OTHER_THAN_TOKEN } from './domain/origin.js';
import { GatewayBench } from './gateway.test-setup.js';

const AUDIENCE = 'https://countersign.example';
const ACTION = { type: 'a' };

/** Sets that are none, by path. */
const SETS: Readonly<Record<string, object>> = {
  '/many': { keys: Array.from({ length: 101 }, () => ({})) },
  '/numbers': { keys: [1] },
  '/private': { keys: [{ kty: 'EC', crv: 'P-256', kid: 'k1', alg: 'ES256', x: 'AA', y: 'AA', d: 'AA' }] },
  '/broken': { keys: [{ kty: 'EC', crv: 'P-256', kid: 'k1', alg: 'ES256', x: 'AA', y: 'AA' }] },
};

/** A chain of actors: `actor-1` acts for the principal through the others. */
const chain = (depth: number): object | undefined =>
  Array.from({ length: depth }, (_, i) => depth - i).reduce<object | undefined>(
    (act, i) => ({ sub: `actor-${i}`, ...(act === undefined ? {} : { act }) }),
    undefined,
  );

describe('a check with a token of a trusted issuer', () => {
  const bench = new GatewayBench();
  let keySets: Server;
  let origin: string;
  let key: CryptoKey;
  let foreign: CryptoKey;
  let down = false;
  let asked = 0;

  const trusted = (changes: Partial<TrustedIssuer> = {}): TrustedIssuer => ({
    id: 'i-1',
    issuer: 'https://login.example',
    jwksUri: `${origin}/keys`,
    audience: AUDIENCE,
    claims: { agent: null, principal: 'sub', session: 'sid' },
    agentIds: null,
    required: false,
    createdAt: '2026-01-01T00:00:00.000Z',
    ...changes,
  });
  const trust = (...issuers: readonly TrustedIssuer[]) => bench.putAccount({ trustedIssuers: issuers });
  interface Made {
    readonly claims?: Readonly<Record<string, unknown>>;
    readonly header?: Readonly<Record<string, string>>;
    readonly by?: CryptoKey;
    readonly seconds?: number;
  }
  const token = ({ claims = {}, header = {}, by = key, seconds = 60 }: Made = {}): Promise<string> => {
    const now = Math.floor(Date.now() / 1000);
    const all = { iss: 'https://login.example', aud: AUDIENCE, sub: 'ann', iat: now, exp: now + seconds, ...claims };
    return new SignJWT(all).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k1', ...header }).sign(by);
  };
  const check = (sent: string, headers: Record<string, string> = {}, action: unknown = ACTION) =>
    bench.check(action, { headers: { 'x-subject-token': sent, ...headers } });
  const newest = async () => (await bench.events()).at(-1)!;

  beforeAll(async () => {
    const pair = await generateKeyPair('ES256');
    key = pair.privateKey;
    foreign = (await generateKeyPair('ES256')).privateKey;
    const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }];
    keySets = createServer(({ url }, response) => {
      asked += 1;
      response.statusCode = down ? 500 : 200;
      response.end(JSON.stringify(SETS[url!] ?? { keys }));
    });
    await new Promise<void>((resolve) => keySets.listen(0, '127.0.0.1', resolve));
    const { port } = keySets.address() as AddressInfo;
    origin = `http://127.0.0.1:${port}`;
    await bench.open({ webhookAllowedHosts: [`127.0.0.1:${port}`] });
    await trust(trusted());
  });
  afterAll(async () => {
    keySets.close();
    await bench.close();
  });

  it('commits principal, issuer, session and actors, and rules read them', async () => {
    await bench.putAgent(bench.agentId, {
      rules: [
        {
          id: 'direct',
          when: "issuer != 'https://login.example' || principal != 'ann' || size(actors) > 2 || actors.exists(a, a == 'actor-9')",
          effect: 'deny',
        },
      ],
    });
    const sent = await token({ claims: { sid: 's-1', act: { ...chain(2), iss: 'https://login.example' } } });
    expect((await check(sent)).body).toEqual({ allowed: true });
    const { openings, leaf } = await newest();
    const context = openings.context!.value as Record<string, unknown>;
    expect(context).toMatchObject({
      issuer: 'https://login.example',
      principal: 'ann',
      session: 's-1',
      actors: [{ id: 'actor-1', iss: 'https://login.example' }, { id: 'actor-2' }],
    });
    expect(readContext(context, true, leaf)).toMatchObject({ ok: true });
    expect((await check(await token({ claims: { act: chain(3) } }))).body).toMatchObject({ rule: 'rules:direct' });
    // What the check says of itself is no token.
    expect((await bench.check({ ...ACTION, metadata: { principal: 'ann' } })).body).toMatchObject({
      rule: 'rules:direct',
    });
    await bench.putAgent(bench.agentId, {});
  });

  it('is 401 with the reason where the token is not valid, and nothing is recorded', async () => {
    const before = (await bench.events()).length;
    const now = Math.floor(Date.now() / 1000);
    const unsecured = new UnsecuredJWT({ iss: 'https://login.example', aud: AUDIENCE, sub: 'ann', iat: now })
      .setExpirationTime('1m')
      .encode();
    const refusals: readonly (readonly [string, string])[] = [
      [await token({ claims: { aud: 'https://other.example' } }), 'another audience'],
      [await token({ seconds: -61 }), 'expired'],
      [await token({ claims: { exp: undefined } }), 'exp'],
      [await token({ claims: { nbf: now + 120 } }), 'not valid yet'],
      [unsecured, 'algorithm'],
      [await token({ header: { kid: 'k2' } }), 'kid'],
      [await token({ by: foreign }), 'signature'],
      [await token({ header: { typ: 'JWT' } }), 'typ'],
      [await token({ claims: { iss: 'https://else.example' } }), 'iss'],
      [await token({ claims: { sub: '' } }), 'sub'],
      [await token({ claims: { sub: 'ann\ud800' } }), 'sub'],
      [await token({ claims: { sid: 7 } }), 'sid'],
      [await token({ claims: { act: chain(6) } }), 'more than 5'],
      [await token({ claims: { act: { sub: 7 } } }), 'actor'],
      ['no.token', 'signed JWT'],
      ['', 'once'],
    ];
    for (const [sent, reason] of refusals) {
      const { status, body, headers } = await check(sent);
      expect([status, body]).toEqual([401, { error: expect.stringContaining(reason) }]);
      expect(headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    }
    expect((await check(await token({ seconds: -50 }))).status).toBe(200);
    expect((await check(await token({ claims: { act: chain(5) } }))).status).toBe(200);
    expect((await check(await token(), { 'x-countersign-principal': 'bob' })).status).toBe(400);
    expect((await bench.events()).length).toBe(before + 2);
  });

  it('is for the subject of an evaluation, where the agent is not the subject', async () => {
    const { evaluator } = bench.gateway;
    const key = await evaluator.callerKey(bench.keyId);
    const none = { principal: null, session: null, trace: null, approvalId: null, isSigned: false };
    const evaluate = async (id: string) => {
      const subject = { type: 'user', id };
      const of = { action: { name: 'a' }, resource: { type: 'thing', id: 'x' }, context: { agent: bench.agentId } };
      return evaluator.evaluate({ subject, ...of }, key, null, { ...none, subjectToken: await token() });
    };
    const before = (await bench.events()).length;
    expect(await evaluate('carol')).toEqual({ kind: 'refused', status: 400, error: OTHER_THAN_TOKEN });
    expect((await bench.events()).length).toBe(before);
    expect(await evaluate('ann')).toMatchObject({ kind: 'decided', decision: { decision: true } });
    const { openings } = await newest();
    expect(openings).toMatchObject({
      context: { value: { principal: 'ann' } },
      action: { value: { subject: { id: 'ann' } } },
    });
  });

  it('is a repetition of a key with a renewed token, and not with one of another person', async () => {
    const once = { 'idempotency-key': 'once' };
    const first = await check(await token(), once);
    const again = await check(await token({ seconds: 90 }), once);
    expect([first.status, again.headers['x-event-id']]).toEqual([200, first.headers['x-event-id']]);
    expect((await check(await token({ claims: { sub: 'bob' } }), once)).status).toBe(400);
    expect((await bench.check(ACTION, { headers: once })).status).toBe(400);
  });

  it('may be required, bound to the agent, and ends with the trust', async () => {
    await trust(trusted({ required: true }));
    expect((await bench.check(ACTION)).body).toEqual({ error: expect.stringContaining('X-Subject-Token') });
    const sent = await token();
    expect((await check(sent)).status).toBe(200);
    await trust(trusted({ required: true, agentIds: ['00000000-0000-4000-8000-000000000000'] }));
    expect((await bench.check(ACTION)).status).toBe(200);
    expect((await check(sent)).status).toBe(401);
    await trust(trusted({ claims: { agent: 'azp', principal: 'email', session: null } }));
    expect((await check(sent)).status).toBe(401);
    const named = await token({ claims: { azp: bench.agentId.toUpperCase(), email: 'ann@example.com' } });
    expect((await check(named)).status).toBe(200);
    expect((await newest()).openings.context?.value).toMatchObject({ principal: 'ann@example.com' });
    await bench.putAccount({});
    expect((await check(named)).status).toBe(401);
  });

  it('is 503 where the keys cannot be read, or are at an address that is not to be asked', async () => {
    down = true;
    await trust(trusted({ jwksUri: `${origin}/down` }));
    asked = 0;
    for (let i = 0; i < 5; i += 1) expect((await check(await token())).status).toBe(503);
    expect(asked).toBeLessThan(5);
    await trust(trusted({ jwksUri: 'https://127.0.0.1/keys' }));
    expect((await check(await token())).status).toBe(503);
    down = false;
    await trust(trusted({ jwksUri: `${origin}/down` }));
    // After a failure they are read again a second later.
    const until = Date.now() + 10_000;
    let { status } = await check(await token());
    while (status === 503 && Date.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      ({ status } = await check(await token()));
    }
    expect(status).toBe(200);
  });

  it.each(Object.keys(SETS))('is 503 where the keys cannot be used: %s', async (path) => {
    await trust(trusted({ jwksUri: `${origin}${path}` }));
    expect((await check(await token())).status).toBe(503);
  });
});

import { createPublicKey, generateKeyPairSync, randomUUID, verify } from 'node:crypto';
import type { AgentSigning } from '@countersign/contracts';
import { readContext } from '@countersign/evidence';
import { GatewayBench } from './gateway.test-setup.js';
import { agentKeyOf, RFC_KEY, signed } from './signature/sign.test-setup.js';
import type { Signing } from './signature/sign.test-setup.js';

const KEY = agentKeyOf(RFC_KEY, 'k1');
const OTHER = generateKeyPairSync('ed25519').privateKey;
const seconds = (): number => Math.floor(Date.now() / 1000);

describe('a signed check', () => {
  const bench = new GatewayBench();
  let body: string;
  const signing = (facts: AgentSigning): Promise<void> => bench.putAgent(bench.agentId, {}, { signing: facts });
  const check = (
    of: Partial<Signing> = {},
    sent: { path?: string; headers?: Record<string, string>; body?: string } = {},
  ) => {
    const headers = signed({ key: RFC_KEY, keyId: 'k1', body, ...of });
    return bench.send({ ...sent, headers: { ...headers, ...sent.headers }, body: sent.body ?? body });
  };
  const unsigned = (path = '/v1/check') => bench.send({ path, body });
  const newest = async () => (await bench.events()).at(-1)!;
  const count = async () => (await bench.events()).length;
  const actions = async () => (await bench.gateway.counters.usage(bench.accountId)).actionsEver;

  beforeAll(async () => {
    await bench.open();
    body = JSON.stringify({ agentId: bench.agentId, action: { type: 'a' } });
    await signing({ required: true, keys: [KEY] });
    // Signatures that were made before the counters served are refused.
    await new Promise((resolve) => setTimeout(resolve, 1001 - (Date.now() % 1000)));
  });
  afterAll(() => bench.close());

  it('is decided, and what was signed is committed: it verifies without this program', async () => {
    const headers = { 'idempotency-key': randomUUID(), 'x-countersign-principal': 'ann' };
    expect((await check({ headers })).body).toEqual({ allowed: true });
    const { openings, leaf } = await newest();
    const context = openings.context!.value as {
      readonly signature: Record<'base' | 'publicKey' | 'signature', string>;
    };
    expect(readContext(context, true, leaf)).toMatchObject({ ok: true });
    const { base, publicKey, signature } = context.signature;
    expect(publicKey).toBe(KEY.publicKey);
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
    expect(verify(null, Buffer.from(base), key, Buffer.from(signature, 'base64'))).toBe(true);
    expect(base).toContain('"x-countersign-principal": ann\n');
  });

  it('may come by the route of tool calls, with a query, and with a trace that is not covered', async () => {
    const path = '/v1/mcp/check';
    expect((await check({ path }, { path })).status).toBe(200);
    expect((await check({ query: 'a=b' }, { path: '/v1/check?a=b' })).status).toBe(200);
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect((await check({}, { headers: { traceparent } })).status).toBe(200);
    expect((await newest()).openings.context!.value).toMatchObject({ trace: traceparent, signature: {} });
  });

  it('is 401 with the exact reason where it is not valid, and nothing is recorded or counted', async () => {
    const before = [await count(), await actions()];
    const nonce = randomUUID();
    const answers = [
      [await unsigned(), 'have to be signed'],
      [await unsigned('/v1/mcp/check'), 'have to be signed'],
      [await check({ keyId: 'k2' }), 'none of the signing keys'],
      [await check({ key: OTHER }), 'not one of this request by that key'],
      [await check({ created: seconds() - 70 }), 'seconds old'],
      [await check({ created: seconds() + 70 }), 'seconds ahead'],
      [await check({ more: `;expires=${seconds() - 1}` }), 'has expired'],
      [await check({ method: 'PUT' }), 'not one of this request'],
      [await check({ path: '/v1/mcp/check' }), 'not one of this request'],
      [await check({ components: ['@method', '@path'] }), 'does not cover content-digest'],
      [await check({}, { body: `${body} ` }), 'not that of the body'],
      [await check({}, { headers: { 'x-countersign-session': 's' } }), 'does not cover x-countersign-session'],
      [await check({}, { headers: { 'signature-input': 'x' } }), 'Signature-Input is malformed'],
      [await check({ nonce, key: OTHER }), 'not one of this request'],
    ] as const;
    for (const [answer, reason] of answers) {
      expect([answer.status, answer.body]).toEqual([401, { error: expect.stringContaining(reason) as string }]);
      expect(answer.headers['accept-signature']).toContain('"content-digest"');
    }
    expect([await count(), await actions()]).toEqual(before);
    // The nonce of a signature that was not valid is free.
    expect((await check({ nonce })).status).toBe(200);
  });

  it('is used once, however many come at once, and not by another key', async () => {
    const before = await count();
    const headers = signed({ key: RFC_KEY, keyId: 'k1', body });
    const answers = await Promise.all(Array.from({ length: 20 }, () => bench.send({ headers, body })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 401);
    expect(refused).toHaveLength(19);
    expect(refused[0]!.body.error).toContain('was used before');
    expect(await count()).toBe(before + 1);
  });

  it('may be sent again with its Idempotency-Key, and gets the recorded answer', async () => {
    const before = await count();
    const headers = signed({ key: RFC_KEY, keyId: 'k1', body, headers: { 'idempotency-key': randomUUID() } });
    const first = await bench.send({ headers, body });
    const again = await bench.send({ headers, body });
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
    expect(again.headers['x-event-id']).toBe(first.headers['x-event-id']);
    expect(again.headers['x-idempotent-replay']).toBe('true');
    const renewed = await check({ headers: { 'idempotency-key': headers['idempotency-key']! } });
    expect(renewed.headers['x-event-id']).toBe(first.headers['x-event-id']);
    expect(await count()).toBe(before + 1);
  });

  it('is asked for by the newest keys, at once', async () => {
    await signing({ required: true, keys: [agentKeyOf(OTHER, 'k2')] });
    expect((await check()).body.error).toContain('none of the signing keys');
    expect((await check({ key: OTHER, keyId: 'k2' })).status).toBe(200);
    await signing({ required: true, keys: [] });
    expect((await check({ key: OTHER, keyId: 'k2' })).status).toBe(401);
    await signing({ required: true, keys: [KEY] });
    expect((await check()).status).toBe(200);
  });

  it('is not needed without the requirement; one that is sent has to be valid while the agent has keys', async () => {
    await signing({ required: false, keys: [KEY] });
    expect((await unsigned()).status).toBe(200);
    expect((await newest()).openings.context!.value).not.toHaveProperty('signature');
    expect((await check({ key: OTHER })).status).toBe(401);
    expect((await check()).status).toBe(200);
    await signing({ required: false, keys: [] });
    expect((await check({ key: OTHER })).status).toBe(200);
    await bench.putAgent(bench.agentId, {});
    expect((await check({ key: OTHER })).status).toBe(200);
    expect((await newest()).openings.context!.value).not.toHaveProperty('signature');
  });

  it('is refused by the routes that cannot verify it', async () => {
    const { evaluator } = bench.gateway;
    const key = await evaluator.callerKey(bench.keyId);
    const asked = {
      subject: { type: 'agent', id: bench.agentId },
      ...{ action: { name: 'a' }, resource: { type: 'thing', id: 'x' } },
    };
    const none = { principal: null, session: null, trace: null, approvalId: null, subjectToken: null };
    const evaluate = (isSigned: boolean) => evaluator.evaluate(asked, key, null, { ...none, isSigned });
    await signing({ required: true, keys: [KEY] });
    expect(await evaluate(false)).toMatchObject({ kind: 'refused', status: 401 });
    expect(await evaluate(true)).toMatchObject({ kind: 'refused', status: 401 });
    await signing({ required: false, keys: [KEY] });
    expect(await evaluate(true)).toMatchObject({
      kind: 'refused',
      error: expect.stringContaining('cannot verify') as string,
    });
    expect(await evaluate(false)).toMatchObject({ kind: 'decided' });
    await signing({ required: true, keys: [KEY] });
  });

  it('is 503 where its nonce may have been lost with the counters, until it is signed again', async () => {
    const early = seconds() - 5;
    await bench.gateway.counters.restore({ accounts: [], agents: [], claims: [], versions: [] });
    expect((await check()).status).toBe(503);
    await bench.gateway.counters.serve();
    expect((await check({ created: early })).body.reason).toContain('before the counters began to serve');
  });
});

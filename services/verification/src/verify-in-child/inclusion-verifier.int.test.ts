import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { contentHash, keyId, packageTimestamp, signPackage, type VerificationKey } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { HttpRefusal, RawBody } from '@countersign/http-edge';
import { HERE_BYTES, InclusionVerifier, NARROW } from './inclusion-verifier.js';
import type { LaneLimits } from './verifying-lane.js';

const MEBIBYTE = 1024 * 1024;
const LIMITS: LaneLimits = { ...NARROW, idleMs: 5000 };

const pair = generateKeyPairSync('ed25519');
const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
const KEY: VerificationKey = { publicKey, status: 'active', validFrom: null, validTo: null };

/** A package that holds, with as much more in it as is wanted: what is not named is covered by the signature. */
function packageWith(more: object): object {
  const file = new URL('../../../../libs/evidence/vectors/valid-small.json', import.meta.url);
  const { package: given } = JSON.parse(readFileSync(file, 'utf8')) as { readonly package: Record<string, unknown> };
  const { sha256: _1, signature: _2, algorithm: _3, publicKeyUrl: _4, timestamp: _5, ...content } = given;
  const wider = { ...content, ...more } as unknown as Parameters<typeof signPackage>[0];
  const timestamp = packageTimestamp(contentHash(wider, nodeCrypto.sha256), '2026-03-02T12:00:00.000Z', null);
  const publicKeyUrl = `https://countersign.example/v1/keys/${keyId(publicKey, nodeCrypto.sha256)}`;
  return signPackage(
    wider,
    timestamp,
    { publicKeyUrl, sign: (bytes) => sign(null, bytes, pair.privateKey) },
    nodeCrypto.sha256,
  );
}

function bodyOf(text: string | Uint8Array): RawBody {
  const bytes = new Uint8Array(Buffer.from(text));
  const segments: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < bytes.length; at += 256 * 1024) segments.push(bytes.slice(at, at + 256 * 1024));
  return new RawBody(segments, bytes.length, { take: () => true, giveBack: () => undefined });
}

const hostile = (unit: string, size: number): string =>
  `{"package":{"events":[${Array.from({ length: Math.floor(size / (unit.length + 1)) }, () => unit).join(',')}]}}`;

/** Time of the processor that this thread alone has had, ms; that of the whole process where the system does not tell. */
function ownTime(): number {
  try {
    const [ran] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
    return Number(ran) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}

/**
 * The longest turn of the event loop during `work`, in {@link ownTime}: on a busy machine a thread waits for its turn
 * whatever it does. The least of three: what `work` itself costs comes each time, a collection of Jest's heap does not.
 */
async function longestTurn<T>(prepare: () => T, work: (prepared: T) => Promise<void>): Promise<number> {
  const found: number[] = [];
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const prepared = prepare();
    let longest = 0;
    let last = ownTime();
    const turn = (): void => {
      const now = ownTime();
      longest = Math.max(longest, now - last);
      last = now;
      next = setTimeout(turn, 1);
    };
    let next = setTimeout(turn, 1);
    await work(prepared);
    clearTimeout(next);
    found.push(longest);
  }
  return Math.min(...found);
}

describe('verifying aside', () => {
  let verifier: InclusionVerifier;
  let asked: number;
  const open = (limits: Partial<LaneLimits> = {}): InclusionVerifier =>
    new InclusionVerifier(
      {
        keys: async () => [KEY],
        askChain: async () => {
          asked += 1;
          return { network: 'solana:elsewhere', transactions: new Map(), authorities: [] };
        },
      },
      { narrow: { ...LIMITS, ...limits }, wide: { ...LIMITS, ...limits } },
    );
  const answerTo = async (body: RawBody | object): Promise<unknown> => {
    const answer = await verifier.verify(body instanceof RawBody ? body : bodyOf(JSON.stringify(body)));
    return answer instanceof Uint8Array ? JSON.parse(Buffer.from(answer).toString('utf8')) : answer;
  };
  const refusal = (body: RawBody): Promise<unknown> =>
    verifier.verify(body).then(
      () => 'answered',
      (error: unknown) => (error instanceof HttpRefusal ? [error.status, error.message] : error),
    );
  const usual = open();
  beforeEach(() => {
    asked = 0;
    verifier = usual;
  });
  afterEach(() => {
    if (verifier !== usual) verifier.end();
  });
  afterAll(() => usual.end());

  it('gives a large package the answer that a small one gets, with its transactions asked once', async () => {
    const here = await answerTo({ package: packageWith({}) });
    expect(asked).toBe(1);
    const large = {
      package: packageWith({ filler: Array.from({ length: 5000 }, (_, i) => ({ i, text: 'ü'.repeat(20) })) }),
    };
    expect(JSON.stringify(large).length).toBeGreaterThan(HERE_BYTES);
    const [aside, again] = await Promise.all([answerTo(large), answerTo({ report: large.package })]);
    expect(asked).toBe(3);
    expect(again).toEqual(aside);
    const same = { ok: true, anchoredCount: 5, unanchoredCount: 1, signature: { valid: true } };
    expect([here, aside]).toMatchObject([same, same]);
    expect((aside as { events: unknown }).events).toEqual((here as { events: unknown }).events);
  });

  it('refuses what none of our keys signed without asking the chain', async () => {
    const forged = {
      ...packageWith({ filler: 'x'.repeat(HERE_BYTES) }),
      reportId: '00000000-0000-7000-8000-000000000000',
    };
    expect(await answerTo({ package: forged })).toMatchObject({ ok: false, events: [], signature: { valid: false } });
    expect(asked).toBe(0);
  });

  it.each([
    ['no JSON', 'x'.repeat(HERE_BYTES + 1), 400],
    ['a byte-order mark', `\ufeff{"package":{},"x":"${'y'.repeat(HERE_BYTES)}"}`, 400],
    ['a key twice', `{"package":{},"package":{},"x":"${'y'.repeat(HERE_BYTES)}"}`, 400],
    ['a lone surrogate', `{"package":{"a":"\\ud800"},"x":"${'y'.repeat(HERE_BYTES)}"}`, 400],
    ['a depth of 65', `{"package":${'['.repeat(64)}${']'.repeat(64)},"x":"${'y'.repeat(HERE_BYTES)}"}`, 400],
    ['nothing to verify', `{"x":"${'y'.repeat(HERE_BYTES)}"}`, 400],
    ['a package that is no object', `{"package":["${'y'.repeat(HERE_BYTES)}"]}`, 400],
    ['an event without a proof', `{"event":{"x":"${'y'.repeat(HERE_BYTES)}"}}`, 400],
    ['an array', `["${'y'.repeat(HERE_BYTES)}"]`, 400],
  ])('refuses %s as it would be refused here, and goes on', async (_what, text, status) => {
    const small = text.replaceAll('y'.repeat(HERE_BYTES), 'y').replaceAll('x'.repeat(HERE_BYTES + 1), 'x');
    const aside = await refusal(bodyOf(text));
    expect(aside).toEqual([status, expect.any(String)]);
    expect(aside).toEqual(await refusal(bodyOf(small)));
    expect(await refusal(bodyOf(JSON.stringify({ package: { filler: 'z'.repeat(HERE_BYTES) } })))).toBe('answered');
  });

  it('refuses a body of invalid UTF-8', async () => {
    expect(await refusal(bodyOf(Buffer.alloc(HERE_BYTES * 2, 0xff)))).toEqual([400, expect.stringContaining('UTF-8')]);
  });

  it('holds the thread up for no hostile body, and refuses what would need too much memory', async () => {
    await answerTo({ package: packageWith({ filler: 'x'.repeat(HERE_BYTES) }) });
    const texts = ['{}', '[]', '{"a":1}'].map((unit) => hostile(unit, 24 * MEBIBYTE));
    const longest = await longestTurn(
      () => texts.map(bodyOf),
      async (bodies) => {
        const refused = await Promise.all(bodies.map((body) => refusal(body)));
        expect(refused).toEqual(bodies.map(() => [413, expect.stringContaining('memory')]));
      },
    );
    expect(longest).toBeLessThan(50);
  });

  it('holds the thread up for no package of 40 MiB either', async () => {
    const filler = Array.from({ length: 40 }, () => 'x'.repeat(MEBIBYTE));
    const text = JSON.stringify({ package: { filler } });
    const longest = await longestTurn(
      () => bodyOf(text),
      async (body) => expect(await refusal(body)).toBe('answered'),
    );
    expect(longest).toBeLessThan(50);
  });

  it('outlives a process that runs out of memory, and verifies the next', async () => {
    verifier = open({ heapMiB: 32, needMiB: 4096 });
    expect(await refusal(bodyOf(hostile('[]', 6 * MEBIBYTE)))).toEqual([413, expect.stringContaining('memory')]);
    expect(await answerTo({ package: packageWith({ filler: 'x'.repeat(HERE_BYTES) }) })).toMatchObject({ ok: true });
  });

  it('ends what takes too long', async () => {
    verifier = open({ deadlineMs: 1 });
    expect(await refusal(bodyOf(hostile('"a"', MEBIBYTE)))).toEqual([503, expect.stringContaining('longer')]);
  });

  it('lets no more wait than it may, and drops those whose client has left', async () => {
    verifier = open({ waiting: 1 });
    const bodies = Array.from({ length: 3 }, () =>
      bodyOf(JSON.stringify({ package: { filler: 'x'.repeat(HERE_BYTES) } })),
    );
    const [first, second, third] = bodies.map((body) => refusal(body));
    bodies[1]!.release();
    expect(await third).toEqual([503, expect.stringContaining('too many')]);
    expect(await first).toBe('answered');
    expect(await second).toEqual([503, expect.any(String)]);
  });

  it('answers what is under way with 503 when it ends', async () => {
    verifier = open();
    const under = refusal(bodyOf(hostile('"a"', 4 * MEBIBYTE)));
    setTimeout(() => verifier.end(), 50);
    expect(await under).toEqual([503, expect.any(String)]);
  });
});

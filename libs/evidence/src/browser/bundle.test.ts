import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext, type Context } from 'node:vm';
import { transformSync } from 'esbuild';
import fc from 'fast-check';
import { nodeCrypto, seededKey } from '../../vectors/node-crypto.mjs';
import type { Vector } from '../vectors/cases.js';
import { browserCrypto } from './browser-crypto.js';

const PACKAGE = new URL('../../', import.meta.url);
const VECTORS = new URL('vectors/', PACKAGE);
const names = readdirSync(VECTORS).filter((name) => name.endsWith('.json'));

/** The globals of a browser that the bundle needs in addition to ECMAScript; nothing else is defined. */
const PLATFORM = `
  const encode = platformEncode, decode = platformDecode;
  globalThis.TextEncoder = class { encode(text) { return Uint8Array.from(encode(text)); } };
  globalThis.TextDecoder = class {
    constructor(label, options) { this.options = options; }
    decode(bytes) { return decode(bytes, this.options); }
  };
  delete globalThis.platformEncode; delete globalThis.platformDecode; delete globalThis.console;`;

const JUDGE = `
  function judge(text) {
    const { browserCrypto: crypto, parseJsonStrict, VERIFICATION_LIMITS, publicKeyFromPem } = evidence;
    const vector = parseJsonStrict(new TextEncoder().encode(text), VERIFICATION_LIMITS);
    const keys = vector.keys?.map(({ pem, ...rest }) => ({ ...rest, publicKey: publicKeyFromPem(pem) })) ?? null;
    const named = evidence.transactionsToAsk(vector.package ?? vector.absence ?? vector.proof);
    const answers = vector.chain?.transactions ?? {};
    const known = named.filter((one) => one.txSignature in answers).map((one) => [one.txSignature, answers[one.txSignature]]);
    const asked = vector.chain?.walks === undefined ? known : Object.entries(answers);
    const chain = vector.chain && { ...vector.chain, transactions: new Map(asked) };
    const options = { crypto, keys, chain, absences: vector.absences };
    const result = vector.absence !== undefined ? evidence.verifyAbsence(vector.absence, options)
      : vector.package !== undefined ? evidence.verifyPackage(vector.package, options)
      : evidence.verifyEventProof(vector.event, vector.proof, options);
    const { ok, problems, vouched, unsettled } = result;
    const open = vector.expected.unsettled === undefined ? {} : { unsettled: unsettled.map(({ code }) => code) };
    return JSON.stringify({ ok, firstProblem: problems[0]?.code ?? null, vouched, ...open });
  }`;

describe('the library in one file', () => {
  let judge: (text: string) => string;
  let context: Context;
  let source: string;

  beforeAll(() => {
    execFileSync(process.execPath, [fileURLToPath(new URL('browser/bundle.mjs', PACKAGE))]);
    source = readFileSync(new URL('dist/evidence.browser.js', PACKAGE), 'utf8');
    const decode = (bytes: Uint8Array, options?: object) => new TextDecoder('utf-8', options).decode(bytes);
    context = createContext({
      platformEncode: (text: string) => new TextEncoder().encode(text),
      platformDecode: decode,
    });
    runInContext(PLATFORM, context);
    // As a script: a context evaluates modules only behind a flag.
    runInContext(transformSync(source, { format: 'iife', globalName: 'evidence' }).code, context);
    runInContext(JUDGE, context);
    judge = (context as { readonly judge?: typeof judge }).judge!;
  });

  it('runs where there is nothing of Node', () => {
    const node = 'typeof process + typeof Buffer + typeof require + typeof crypto + typeof console + typeof fetch';
    expect(runInContext(node, context)).toBe('undefined'.repeat(6));
    // A text such as "from" may stand in it: only a statement names a module.
    expect(source).not.toMatch(/\b(?:import|export)\b[^;"']*\bfrom ?["']|\bimport ?(?:\(|["'])/);
    expect(source.length).toBeLessThan(200_000);
  });

  it.each(names)('judges %s as it says', (name) => {
    const text = readFileSync(new URL(name, VECTORS), 'utf8');
    const { expected } = JSON.parse(text) as Vector;
    expect(JSON.parse(judge(text))).toEqual(expected);
  });
});

describe('the cryptography of a browser', () => {
  const bytes = fc.uint8Array({ maxLength: 300 });

  it('is that of Node', () => {
    fc.assert(
      fc.property(bytes, fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(511), (message, seed, bit) => {
        expect(browserCrypto.sha256(message)).toEqual(nodeCrypto.sha256(message));
        const { publicKey, sign } = seededKey(seed);
        const signature = sign(message);
        expect(browserCrypto.ed25519Verify(publicKey, message, signature)).toBe(true);
        signature[bit >> 3]! ^= 1 << (bit & 7);
        expect(browserCrypto.ed25519Verify(publicKey, message, signature)).toBe(false);
      }),
      { numRuns: 15 },
    );
    expect(browserCrypto.ed25519Verify(new Uint8Array(31), new Uint8Array(0), new Uint8Array(64))).toBe(false);
  });
});

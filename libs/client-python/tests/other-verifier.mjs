/** Judges cases, a JSON array on standard input, with libs/evidence; prints `[{ok, firstProblem}…]`. Needs a build. */
import { readFileSync } from 'node:fs';
import {
  JsonRefused,
  parseJsonStrict,
  publicKeyFromPem,
  VERIFICATION_LIMITS,
  verifyPackage,
} from '../../evidence/dist/index.js';
import { nodeCrypto } from '../../evidence/vectors/node-crypto.mjs';

function judge({ text, keys, chain }) {
  let value;
  try {
    value = parseJsonStrict(Buffer.from(text, 'utf8'), VERIFICATION_LIMITS);
  } catch (error) {
    if (error instanceof JsonRefused) return { ok: false, firstProblem: 'not-canonical' };
    throw error;
  }
  const result = verifyPackage(value, {
    crypto: nodeCrypto,
    keys: keys?.map(({ pem, ...rest }) => ({ ...rest, publicKey: publicKeyFromPem(pem) })) ?? null,
    chain: chain === null ? null : { ...chain, transactions: new Map(Object.entries(chain.transactions)) },
  });
  return { ok: result.ok, firstProblem: result.problems[0]?.code ?? null };
}

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(judge)));

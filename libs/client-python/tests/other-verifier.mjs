/** Judges cases, a JSON array on standard input, with libs/evidence; prints `[{ok, firstProblem, vouched}…]`. Needs a build. */
import { readFileSync } from 'node:fs';
import {
  JsonRefused,
  parseJsonStrict,
  publicKeyFromPem,
  transactionsToAsk,
  VERIFICATION_LIMITS,
  verifyAbsence,
  verifyEventProof,
  verifyPackage,
} from '../../evidence/dist/index.js';
import { nodeCrypto } from '../../evidence/vectors/node-crypto.mjs';

/** For those transactions alone that the subject names. */
function answers(transactions, subject) {
  const asked = new Set(transactionsToAsk(subject).map(({ txSignature }) => txSignature));
  return new Map(Object.entries(transactions).filter(([signature]) => asked.has(signature)));
}

function judge({ kind, text, keys, chain }) {
  let value;
  try {
    value = parseJsonStrict(Buffer.from(text, 'utf8'), VERIFICATION_LIMITS);
  } catch (error) {
    if (error instanceof JsonRefused) return { ok: false, firstProblem: 'not-canonical', vouched: null };
    throw error;
  }
  const options = {
    crypto: nodeCrypto,
    keys: keys?.map(({ pem, ...rest }) => ({ ...rest, publicKey: publicKeyFromPem(pem) })) ?? null,
    chain:
      chain === null
        ? null
        : { ...chain, transactions: answers(chain.transactions, kind === 'event' ? value?.proof : value) },
  };
  const result =
    kind === 'event'
      ? verifyEventProof(value.event, value.proof, options)
      : kind === 'absence'
        ? verifyAbsence(value, options)
        : verifyPackage(value, options);
  const vouched = result.ok ? (result.vouched ?? null) : null;
  return { ok: result.ok, firstProblem: result.problems[0]?.code ?? null, vouched };
}

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(judge)));

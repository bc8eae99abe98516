import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { nodeCrypto, seededKey } from '../../vectors/node-crypto.mjs';
import { parseJsonStrict, VERIFICATION_LIMITS } from '../json/parse-strict.js';
import { publicKeyFromPem } from '../signature/public-key.js';
import { verifyAbsence } from '../verify/absence.js';
import { verifyEventProof } from '../verify/event-proof.js';
import type { VerifyOptions } from '../verify/options.js';
import { transactionsToAsk } from '../verify/transactions-to-ask.js';
import { type Problem, PROBLEM_CODES, type Unsettled, UNSETTLED_CODES, type Vouched } from '../verify/result.js';
import { verifyPackage } from '../verify/verify-package.js';
import { type Vector, vectorFiles } from './cases.js';

const FOLDER = new URL('../../vectors/', import.meta.url);
const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
const read = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');
const load = (name: string): Vector => parseJsonStrict(read(name), VERIFICATION_LIMITS) as Vector;

/**
 * With the answers only for the transactions that the subject names, unless the authorities' transactions were read.
 */
function options({ keys, chain, proof, absence, absences, package: pkg }: Vector): VerifyOptions {
  const asked = new Set(transactionsToAsk(pkg ?? absence ?? proof).map(({ txSignature }) => txSignature));
  const walked = chain?.walks !== undefined;
  const answers = Object.entries(chain?.transactions ?? {}).filter(([signature]) => walked || asked.has(signature));
  return {
    crypto: nodeCrypto,
    keys: keys?.map(({ pem, ...rest }) => ({ ...rest, publicKey: publicKeyFromPem(pem)! })) ?? null,
    chain: chain === null ? null : { ...chain, transactions: new Map(answers) },
    ...(absences === undefined ? {} : { absences }),
  };
}

interface Judged {
  readonly ok: boolean;
  readonly problems: readonly Problem[];
  readonly vouched?: Vouched;
  readonly unsettled?: readonly Unsettled[];
}

function judged(vector: Vector): Judged {
  const given = options(vector);
  if (vector.absence !== undefined) return verifyAbsence(vector.absence, given);
  if (vector.package !== undefined) return verifyPackage(vector.package, given);
  return verifyEventProof(vector.event, vector.proof, given);
}

describe('the test vectors', () => {
  it.each(names)('%s is judged as it says', (name) => {
    const vector = load(name);
    const { ok, problems, vouched, unsettled } = judged(vector);
    const compared = vector.expected.unsettled !== undefined;
    const open = compared ? { unsettled: unsettled?.map(({ code }) => code) } : {};
    expect({ ok, firstProblem: problems[0]?.code ?? null, vouched, ...open }).toEqual(vector.expected);
  });

  it('are the files that the generator writes, byte for byte', () => {
    const made = vectorFiles(nodeCrypto.sha256, seededKey);
    expect(made.map(([name]) => name).sort()).toEqual([...names].sort());
    for (const [name, text] of made) expect(text === read(name) ? name : `${name} differs`).toBe(name);
  });

  it('name every problem that an issuer, a chain or a forger can cause', () => {
    const named = new Set(names.map((name) => load(name).expected.firstProblem));
    // These come second to another, or cannot be written as JSON that parses: tests of their own cover them.
    const elsewhere = new Set(['not-canonical', 'window-gap', 'profile-differs', 'pages-differ']);
    const ofSeries = PROBLEM_CODES.filter((code) => code.startsWith('series-'));
    for (const code of ofSeries) elsewhere.add(code);
    expect(PROBLEM_CODES.filter((code) => !named.has(code) && !elsewhere.has(code))).toEqual([]);
    const left = new Set(names.flatMap((name) => load(name).expected.unsettled ?? []));
    expect(UNSETTLED_CODES.filter((code) => !left.has(code))).toEqual([]);
  });

  it('lie where FORMAT.md says', () => {
    const format = readFileSync(new URL('../FORMAT.md', FOLDER), 'utf8');
    expect(format).toContain('`vectors/`');
    for (const code of [...PROBLEM_CODES, ...UNSETTLED_CODES]) expect(format).toContain(`\`${code}\``);
    expect(fileURLToPath(FOLDER)).toMatch(/evidence.vectors.$/);
  });
});

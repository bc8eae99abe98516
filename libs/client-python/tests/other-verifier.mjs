/**
 * Judges cases, a JSON array on standard input, as the command line does and as the page in a browser does, with the bundle that
 * it loads; prints `[[command line, page]…]`. Needs a build.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as library from '../../evidence/dist/index.js';
import * as bundle from '../../evidence/dist/evidence.browser.js';
import { nodeCrypto } from '../../evidence/vectors/node-crypto.mjs';
import { askNetworks } from '../../cli/dist/verify-file/ask-networks.js';
import { verifyFile } from '../../cli/dist/verify-file/verify-file.js';
import { askChain } from '../../../services/verification/page/dist/ask-chain.js';
import { findKeys } from '../../../services/verification/page/dist/find-keys.js';
import { judge as judgeInPage } from '../../../services/verification/page/dist/judge.js';

const WRONG = 1;

/** A package, a single event or a proof of absence. */
function judge({ kind, text, keys, chain }, evidence, crypto) {
  let value;
  try {
    value = evidence.parseJsonStrict(Buffer.from(text, 'utf8'), evidence.VERIFICATION_LIMITS);
  } catch (error) {
    if (error instanceof evidence.JsonRefused) return { ok: false, firstProblem: 'not-canonical', vouched: null };
    throw error;
  }
  const asked = evidence.transactionsToAsk(kind === 'event' ? value?.proof : value);
  const signatures = new Set(asked.map(({ txSignature }) => txSignature));
  const answers = Object.entries(chain?.transactions ?? {}).filter(([signature]) => signatures.has(signature));
  const options = {
    crypto,
    keys: keys?.map(({ pem, ...rest }) => ({ ...rest, publicKey: evidence.publicKeyFromPem(pem) })) ?? null,
    chain: chain === null ? null : { ...chain, transactions: new Map(answers) },
  };
  const result =
    kind === 'event'
      ? evidence.verifyEventProof(value.event, value.proof, options)
      : kind === 'absence'
        ? evidence.verifyAbsence(value, options)
        : evidence.verifyPackage(value, options);
  const vouched = result.ok ? (result.vouched ?? null) : null;
  return { ok: result.ok, firstProblem: result.problems[0]?.code ?? null, vouched };
}

const folder = mkdtempSync(join(tmpdir(), 'countersign-other-verifier-'));
const file = join(folder, 'report.pdf');

async function fileByCommandLine({ bytes, key }) {
  writeFileSync(file, Buffer.from(bytes, 'base64'));
  const { exitCode, problems } = await verifyFile({
    file,
    keys: key === null ? [] : [key],
    rpcUrls: [],
    authorities: [],
  });
  return { code: exitCode, pages: problems.some((line) => line.includes('[pages-differ]')) };
}

/** The command line computes verdicts again only where it is asked to. */
const notHere = () => Promise.reject(new Error('verdicts are not computed again'));
const NOT_RECOMPUTED = { library: notHere, sqlParser: notHere };

/** Without a chain the page never reports success: the code is derived from its results for the issuer and the pages. */
async function fileByPage({ bytes, key }) {
  const keys = key === null ? { from: 'service', base: 'https://keys.invalid/' } : { from: 'pem', text: key };
  const outcome = await judgeInPage(
    bundle,
    NOT_RECOMPUTED,
    new Uint8Array(Buffer.from(bytes, 'base64')),
    { keys, rpc: null },
    () => undefined,
  );
  const pages = outcome.problems.some(({ code }) => code === 'pages-differ');
  if (outcome.verdict === 'refused') return { code: WRONG, pages };
  return { code: outcome.checked.some((line) => line.startsWith('every byte of the PDF')) ? 0 : 2, pages };
}

function keyByCommandLine({ text }) {
  const key = library.publicKeyFromPem(text);
  return { key: key === null ? null : Buffer.from(key).toString('hex') };
}

async function keyByPage({ text }) {
  const found = await findKeys(bundle, { from: 'pem', text }, null).catch(() => null);
  return { key: found === null ? null : Buffer.from(found.keys[0].publicKey).toString('hex') };
}

/** Both verifiers' results for the answers of one node. */
async function byNode({ text, url, authority, key }) {
  const value = library.parseJsonStrict(Buffer.from(text, 'utf8'), library.VERIFICATION_LIMITS);
  const judged = (evidence, crypto, chain) => {
    const keys = [{ publicKey: evidence.publicKeyFromPem(key), status: 'active', validFrom: null, validTo: null }];
    const { ok, vouched, unsettled } = evidence.verifyPackage(value, { crypto, keys, chain });
    return { ok, vouched: ok ? vouched : null, unsettled: ok ? unsettled.map(({ code }) => code) : [] };
  };
  const given = { subject: value, absences: [], rpcUrls: [url], authorities: [authority], walkBound: 1000 };
  const known = [{ address: authority, network: 'solana:devnet', validFrom: null, validTo: null }];
  const named = bundle.transactionsToAsk(value);
  const inPage = await askChain(bundle, url, named, known, () => undefined, value);
  return [judged(library, nodeCrypto, await askNetworks(given)), judged(bundle, bundle.browserCrypto, inPage)];
}

async function both(one) {
  if (one.kind === 'rpc') return byNode(one);
  if (one.kind === 'file') return [await fileByCommandLine(one), await fileByPage(one)];
  if (one.kind === 'key') return [keyByCommandLine(one), await keyByPage(one)];
  return [judge(one, library, nodeCrypto), judge(one, bundle, bundle.browserCrypto)];
}

// No server answers the page: it has the file and the key.
const { fetch } = globalThis;
globalThis.fetch = (input, init) =>
  String(input).startsWith('http://127.0.0.1:')
    ? fetch(input, init)
    : Promise.reject(new TypeError('no server answers'));
const verdicts = [];
for (const one of JSON.parse(readFileSync(0, 'utf8'))) verdicts.push(await both(one));
rmSync(folder, { recursive: true, force: true });
process.stdout.write(JSON.stringify(verdicts));

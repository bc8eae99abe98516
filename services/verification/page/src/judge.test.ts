import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import * as library from '@countersign/evidence/browser';
import * as redecision from '@countersign/redecide/browser';
import type { Unsettled } from '@countersign/evidence/browser';
import { askChain } from './ask-chain.js';
import { expectedOf } from './expected.js';
import { judge, type Outcome, type Question } from './judge.js';
import { readFile, type ReadFile } from './read-file.js';
import type { Recomputing } from './recompute.js';
import { base58 } from './solana-transaction.js';

const VECTORS = new URL('../../../../libs/evidence/vectors/', import.meta.url);
interface Vector {
  readonly package?: { readonly publicKeyUrl: string };
  readonly absence?: object;
  readonly keys: readonly { readonly pem: string }[] | null;
}
const vector = (name: string): Vector => JSON.parse(readFileSync(new URL(`${name}.json`, VECTORS), 'utf8')) as Vector;
const small = vector('valid-small');
const { pem } = small.keys![0]!;
const keyId = small.package!.publicKeyUrl.split('/').at(-1)!;
const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** One event with its proof, as `GET /v1/events/{eventId}/proof` answers it. */
function eventVector(name: string): object {
  const { event, proof } = vector(name) as { readonly event?: unknown; readonly proof?: unknown };
  return { event, proof };
}
const SERVICE_SAID_NOTHING = 'not asked: you gave no RPC address';

const BASE = 'https://service.example/';
/** Answers by address; no other address answers. */
let answers: Record<string, (body: string) => Response>;
const asked: string[] = [];
const realFetch = globalThis.fetch;

beforeEach(() => {
  asked.length = 0;
  const facts = { id: keyId, status: 'active', validFrom: null, validTo: null };
  answers = {
    [`${BASE}v1/keys`]: () => Response.json({ keys: [facts], activeKeyId: keyId, anchorAuthorities: [] }),
    [`${BASE}v1/keys/${keyId}`]: () => new Response(pem),
  };
  globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : input.toString();
    asked.push(url);
    const answer = answers[url];
    if (answer === undefined) throw new TypeError('no answer');
    return answer(typeof init?.body === 'string' ? init.body : '');
  };
});
afterAll(() => {
  globalThis.fetch = realFetch;
});

const RECOMPUTING: Recomputing = {
  library: async () => redecision,
  sqlParser: () => Promise.reject(new Error('none')),
};
const SERVICE: Question = { keys: { from: 'service', base: BASE }, rpc: null };
const judged = (bytes: Uint8Array, question = SERVICE): Promise<Outcome> =>
  judge(library, RECOMPUTING, bytes, question, () => undefined);

/** A PDF that is laid out as reports are issued; its attachment begins `at`. */
function pdfWith(packed: Uint8Array): { readonly pdf: Uint8Array; readonly at: number } {
  const date = '(D:20260301120000Z)';
  const params = `<<\n/CreationDate ${date}\n/ModDate ${date}\n/CheckSum (${'0'.repeat(32)})\n/Size 1\n>>`;
  const media = '/Subtype /application#2Fjson';
  const file = `<<\n/Type /EmbeddedFile\n/Params ${params}\n${media}\n/Length ${packed.length}\n/Filter /FlateDecode\n>>`;
  const names = '/F (a)\n/EF <<\n/F 1 0 R\n>>\n/UF (a)\n/Desc (b)';
  const specification = `<<\n/Type /Filespec\n/AFRelationship /Source\n${names}\n>>`;
  const head = '%PDF-1.7\n%\xff\xff\xff\xff\n';
  const begin = `${head}1 0 obj\n${file}\nstream\n`;
  const objects = `${begin}${Buffer.from(packed).toString('latin1')}\nendstream\nendobj\n`;
  const all = `${objects}2 0 obj\n${specification}\nendobj\n`;
  const places = [head.length, objects.length].map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  const trailer = 'trailer\n<<\n/Size 3\n/Root 1 0 R\n/Info 2 0 R\n/ID [<ab> <ab>]\n>>';
  const whole = `${all}xref\n0 3\n0000000000 65535 f \n${places}${trailer}\nstartxref\n${all.length}\n%%EOF\n`;
  return { pdf: new Uint8Array(Buffer.from(whole, 'latin1')), at: begin.length };
}

describe('what the page says of a file', () => {
  it('names what was checked, with which key, and that no chain was asked', async () => {
    const outcome = await judged(bytesOf(small.package));
    expect(outcome).toMatchObject({ verdict: 'partly', what: 'package', problems: [], problemCount: 0 });
    expect(outcome.keySource).toBe(`${keyId} from this service, ${BASE}v1/keys`);
    expect(outcome.checked).toContain(`the Ed25519 signature of ${keyId}`);
    expect(outcome.notChecked.join()).toContain('No chain was asked');
    expect(outcome.chainSource).toContain('not asked');
    expect(outcome.completeness.map(({ missing }) => missing)).toEqual([[], []]);
  });

  it('shows the figures on human oversight where they follow from the events', async () => {
    const { package: sound } = vector('oversight-valid');
    const { oversight } = await judged(bytesOf(sound));
    expect(oversight!.lines).toEqual([
      '4 approvals requested, and 2 from before the first event of the file',
      '3 approved, 1 denied, 1 not decided in time, 1 open at the end; 1 used',
      '2 decisions with a known time, half of them within 60.0 s; 0 in less than three seconds',
      expect.stringContaining('of '),
    ]);
    expect(oversight!.people[0]).toEqual(['ana', 'owner', '2', '0', '0.5 s']);
    expect(oversight!.rules.length).toBeGreaterThan(1);
    const { oversight: contradicted, verdict } = await judged(bytesOf(vector('oversight-person-renamed').package));
    expect([contradicted, verdict]).toEqual([null, 'refused']);
    expect((await judged(bytesOf(small.package))).oversight).toBeNull();
  });

  it('takes a key that was pasted, and sends no request then', async () => {
    const outcome = await judged(bytesOf(small.package), { keys: { from: 'pem', text: `\n${pem}` }, rpc: null });
    expect(outcome).toMatchObject({ verdict: 'partly', keySource: `the key that you pasted, ${keyId}` });
    expect(asked).toEqual([]);
    const wrong: Question = { keys: { from: 'pem', text: 'no key' }, rpc: null };
    await expect(judged(bytesOf(small.package), wrong)).rejects.toThrow('not an Ed25519 public key');
  });

  it('takes the package out of a PDF, and says that the pages were not compared', async () => {
    const { pdf, at } = pdfWith(deflateSync(bytesOf(small.package)));
    const outcome = await judged(pdf);
    expect(outcome).toMatchObject({ verdict: 'partly', what: 'package' });
    expect(outcome.notChecked.join()).toContain('its pages are not');
    const broken = pdf.slice();
    broken.fill(0, at, at + 20);
    expect(await judged(broken)).toMatchObject({ verdict: 'refused', what: 'unreadable' });
    for (const more of [Buffer.from('more'), Buffer.alloc(1)]) {
      const { pdf: longer } = pdfWith(Buffer.concat([deflateSync(bytesOf(small.package)), more]));
      expect(await judged(longer)).toMatchObject({ verdict: 'refused', what: 'unreadable' });
    }
  });

  it('asks the service whether the pages are its own: a sound package may lie between pages that others drew', async () => {
    const { pdf } = pdfWith(deflateSync(bytesOf(small.package)));
    const { fileSha256 } = (await readFile(library, pdf)) as ReadFile;
    const place = `${BASE}v1/reports/by-pdf-sha256/${fileSha256}`;
    const said = async (status: number): Promise<readonly [string, string]> => {
      answers[place] = () => new Response(null, { status });
      const { checked, notChecked } = await judged(pdf);
      return [checked.at(-1)!, notChecked.at(-1)!];
    };
    expect((await said(200))[0]).toBe('the pages of the PDF: this service issued these very bytes');
    expect((await said(200))[1]).not.toContain('pages');
    expect((await said(500))[1]).toContain('did not answer');
    answers[place] = () => Response.json({ error: 'no PDF of that hash was issued here' }, { status: 404 });
    const disowned = await judged(pdf);
    expect([disowned.verdict, disowned.problems[0]]).toMatchObject(['refused', { code: 'pages-differ' }]);
    answers[place] = () => Response.json({ error: 'withdrawn: an event of it was erased' }, { status: 404 });
    const withdrawn = await judged(pdf);
    expect([withdrawn.verdict, withdrawn.notChecked.at(-1)]).toEqual([
      'partly',
      expect.stringContaining('withdrawn: an'),
    ]);
    asked.length = 0;
    const own = await judged(pdf, { keys: { from: 'pem', text: pem }, rpc: null });
    expect([own.notChecked.at(-1), asked]).toEqual([expect.stringContaining('its pages are not'), []]);
  });

  it.each([
    ['report-signed', 'partly', null],
    ['report-unsigned', 'partly', null],
    ['report-page-changed', 'refused', 'pages-differ'],
    ['report-signature-removed', 'refused', 'pages-differ'],
    ['signed-action-openaction', 'refused', 'structure'],
  ])('holds a PDF against its signature, asking no server: %s', async (name, verdict, code) => {
    const { pdf, keys } = JSON.parse(readFileSync(new URL(`pdf/${name}.json`, VECTORS), 'utf8')) as {
      readonly pdf: string;
      readonly keys: readonly string[];
    };
    const own: Question = { keys: { from: 'pem', text: keys[0]! }, rpc: null };
    const outcome = await judged(new Uint8Array(Buffer.from(pdf, 'base64')), own);
    expect([outcome.verdict, outcome.problems[0]?.code ?? null, asked]).toEqual([verdict, code, []]);
    const isSigned = outcome.checked.some((line) => line.startsWith('every byte of the PDF'));
    expect(isSigned).toBe(name === 'report-signed');
  });

  it('names the first thing that is wrong', async () => {
    for (const name of ['tampered-allowed-flipped', 'resigned-event-left-out']) {
      const outcome = await judged(bytesOf(vector(name).package));
      expect(outcome).toMatchObject({ verdict: 'refused' });
      const code = name.startsWith('tampered') ? 'signature-invalid' : 'sequence-missing';
      expect(outcome.problems[0]?.code).toBe(code);
    }
    expect(await judged(new TextEncoder().encode('{"a":1,"a":2}'))).toMatchObject({ what: 'unreadable' });
  });

  it('does not take silence for a key: without an answer the issuer is not checked', async () => {
    answers = {};
    const silent = await judged(bytesOf(small.package));
    expect(silent).toMatchObject({ verdict: 'partly', keySource: `none: ${BASE}v1/keys did not answer` });
    expect(silent.notChecked.join()).toContain('no key was given');
    answers = { [`${BASE}v1/keys`]: () => Response.json({ keys: [] }) };
    expect((await judged(bytesOf(small.package))).problems[0]?.code).toBe('unknown-key');
  });

  it('says when and why a key was revoked', async () => {
    const facts = { id: keyId, status: 'revoked', validFrom: null, validTo: null };
    const revocation = { at: '2026-03-01T00:00:00.000Z', reason: 'its backup was lost' };
    answers[`${BASE}v1/keys`] = () => Response.json({ keys: [{ ...facts, revocation }], anchorAuthorities: [] });
    const { problems } = await judged(bytesOf(small.package));
    expect(problems[0]).toMatchObject({ code: 'key-revoked', message: expect.stringContaining(revocation.reason) });
  });

  it('holds where the library says that issuer and anchor vouch, and not by one of them', async () => {
    const verdict = async (issuer: boolean, anchor: boolean, unsettled: Unsettled[] = []): Promise<string> => {
      const saying: typeof library = {
        ...library,
        verifyPackage: (...given) => ({ ...library.verifyPackage(...given), vouched: { issuer, anchor }, unsettled }),
      };
      return (await judge(saying, RECOMPUTING, bytesOf(small.package), SERVICE, () => undefined)).verdict;
    };
    expect(await verdict(true, true)).toBe('holds');
    expect(await verdict(true, false)).toBe('partly');
    expect(await verdict(false, true)).toBe('partly');
    expect(await verdict(true, true, [{ code: 'window-late', message: 'late' }])).toBe('partly');
  });

  it('reads one event with its proof: its paths hold, and without a chain nothing vouches for the root', async () => {
    const whole = await judged(bytesOf(eventVector('event-valid')));
    expect(whole).toMatchObject({ verdict: 'partly', what: 'event', problems: [], chainSource: SERVICE_SAID_NOTHING });
    expect(whole.checked).toHaveLength(2);
    expect(whole.notChecked).toHaveLength(1);
    const waiting = await judged(bytesOf(eventVector('event-unanchored')));
    expect(waiting).toMatchObject({ verdict: 'partly', problems: [] });
    expect(waiting.notChecked).toEqual(['The event is not anchored yet: it has no path.']);
    for (const name of ['event-leaf-changed', 'event-other-proof', 'event-node-as-leaf', 'event-path-upper-case']) {
      const { verdict, problems } = await judged(bytesOf(eventVector(name)));
      expect([name, verdict, problems.length]).toEqual([name, 'refused', 1]);
    }
  });

  it('reads a proof of absence', async () => {
    expect(await judged(bytesOf(vector('absence-valid').absence))).toMatchObject({
      verdict: 'partly',
      what: 'absence',
    });
    const refused = await judged(bytesOf(vector('absence-path-hash').absence));
    expect(refused).toMatchObject({ verdict: 'refused', problems: [{ code: 'absence-root-differs' }] });
  });
});

describe('proofs of absence beside a report', () => {
  const proof = vector('absence-valid').absence as { readonly txSignature: string; readonly network: string };
  const RPC = 'https://rpc.example/';
  const question: Question = { ...SERVICE, rpc: { url: RPC, authority: null } };
  const judgedWith = async (...files: readonly unknown[]): Promise<readonly [unknown, string]> => {
    let given: unknown = null;
    let looked = '';
    answers[RPC] = (body) => {
      looked += body;
      return Response.json({ jsonrpc: '2.0', id: 1, result: body.includes('getGenesisHash') ? 'another' : null });
    };
    const seeing: typeof library = {
      ...library,
      verifyPackage: (value, options) => {
        given = options.absences;
        return library.verifyPackage(value, options);
      },
    };
    await judge(seeing, RECOMPUTING, bytesOf(small.package), question, () => undefined, files.map(bytesOf));
    return [given, looked];
  };

  it('are taken alone or as lists, looked up, and given to the verifier', async () => {
    const other = { ...proof, network: 'solana:localnet', txSignature: '4'.repeat(88) };
    const [given, looked] = await judgedWith([proof, other], proof);
    expect(given).toEqual([proof, other, proof]);
    expect(looked).toContain(other.txSignature);
  });

  it('are refused by name where a file holds none', async () => {
    await expect(judgedWith(small.package)).rejects.toThrow('a file holds no proofs of absence');
  });
});

describe('the chain that the reader names', () => {
  const RPC = 'https://rpc.example/';
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const payer = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const message = Buffer.concat([Buffer.from([1, 0, 0, 1]), payer, Buffer.alloc(32), Buffer.from([0])]);
  const signature = sign(null, message, privateKey);
  const txSignature = base58(new Uint8Array(signature));
  const wire = Buffer.concat([Buffer.from([1]), signature, message]).toString('base64');
  const node = (found: unknown) => (body: string) => {
    const { method } = JSON.parse(body) as { readonly method: string };
    const results: Record<string, unknown> = {
      getGenesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
      getTransaction: found,
      getBlock: { blockHeight: 8 },
    };
    return Response.json({ jsonrpc: '2.0', id: 1, result: results[method] });
  };
  const facts = (named: string, network = 'solana:devnet') =>
    askChain(library, RPC, [{ txSignature: named, network }], null, () => undefined);

  it('is asked for each transaction, and the payer’s signature is verified here', async () => {
    answers[RPC] = node({ slot: 9, blockTime: 1_772_445_600, meta: { err: null }, transaction: [wire, 'base64'] });
    const { network, transactions } = await facts(txSignature);
    expect(network).toBe('solana:devnet');
    expect(transactions.get(txSignature)).toMatchObject({
      succeeded: true,
      finalized: true,
      signers: [base58(new Uint8Array(payer))],
      blockHeight: 8,
      blockTime: '2026-03-02T10:00:00.000Z',
    });
    // Another transaction than was asked for is no answer.
    expect((await facts('1111')).transactions.get('1111')).toBe('unavailable');
    expect((await facts(txSignature, 'solana:mainnet-beta')).transactions.size).toBe(0);
  });

  it('distinguishes what is not there from what was not answered', async () => {
    answers[RPC] = node(null);
    expect((await facts(txSignature)).transactions.get(txSignature)).toBe('not-found');
    answers[RPC] = () => new Response('busy', { status: 429 });
    expect((await facts(txSignature)).transactions.get(txSignature)).toBe('unavailable');
  });
});

describe('the report that a link names', () => {
  it('is read from the part after #, and nothing else is', () => {
    const id = '019cadff-61a8-7a57-8869-bab2cfb1d31a';
    const hash = 'ab'.repeat(32);
    expect(expectedOf(`#report=${id}&sha256=${hash}`)).toEqual({ reportId: id, sha256: hash });
    expect(expectedOf('#report=<script>&sha256=ab')).toEqual({ reportId: null, sha256: null });
    expect(expectedOf('')).toEqual({ reportId: null, sha256: null });
  });
});

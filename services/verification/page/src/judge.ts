import type { AnchorAuthority } from '@countersign/contracts';
import { askChain } from './ask-chain.js';
import type { AgentCompleteness, ChainFacts, Problem, WindowTime } from './evidence.js';
import type { EvidenceLibrary } from './evidence-library.js';
import { findKeys, namedKey, type FoundKeys, type KeyChoice } from './find-keys.js';
import { judgePages } from './judge-pages.js';
import { oversightIn, type ShownOversight } from './oversight.js';
import { readFile, type ReadFile } from './read-file.js';
import { recompute, type Recomputed, type Recomputing } from './recompute.js';

/** The reader's choices. */
export interface Question {
  readonly keys: KeyChoice;
  /** `null`: no chain is asked. `authority`: an address that the reader trusts, in place of those that the service names. */
  readonly rpc: { readonly url: string; readonly authority: string | null } | null;
}

export interface Outcome {
  /** `holds`: all that can be checked was, and holds. `partly`: nothing is wrong, and something was not checked. */
  readonly verdict: 'holds' | 'partly' | 'refused';
  readonly what: 'package' | 'absence' | 'event' | 'unreadable';
  /** Facts of the file, `[name, value]`; not verified where the verdict is `refused`. */
  readonly facts: readonly (readonly [string, string])[];
  readonly reportId: string | null;
  readonly packageSha256: string | null;
  readonly keySource: string | null;
  readonly chainSource: string;
  readonly checked: readonly string[];
  readonly notChecked: readonly string[];
  readonly problems: readonly (Pick<Problem, 'path' | 'message'> & { readonly code: string })[];
  readonly problemCount: number;
  /** `null`: the file has no checks whose verdicts could be computed again. */
  readonly redecision: Recomputed | null;
  /** `null`: the file states no figures that follow from its events. */
  readonly oversight: ShownOversight | null;
  readonly completeness: readonly AgentCompleteness[];
  readonly windowTimes: readonly WindowTime[];
}

/**
 * Reads, asks and verifies. Nothing of the file leaves the reader's machine.
 * @param absences files with proofs of absence, for windows that the package does not list
 * @throws Error with words for the reader, where a key or a proof of absence cannot be read
 */
export async function judge(
  library: EvidenceLibrary,
  recomputing: Recomputing,
  bytes: Uint8Array,
  question: Question,
  progress: (text: string) => void,
  absences: readonly Uint8Array[] = [],
): Promise<Outcome> {
  progress('Reading the file');
  const file = await readFile(library, bytes);
  if (typeof file === 'string') return unreadable(file);
  if (file.pdf === null && library.claimsAbsence(file.value)) return judgeAbsence(library, file, question, progress);
  if (file.pdf === null && claimsEvent(file.value)) return judgeEvent(library, file, question, progress);
  const proofs = (await Promise.all(absences.map((proof) => readAbsences(library, proof)))).flat();
  progress('Fetching the key');
  const keys = await findKeys(library, question.keys, namedKey(file.value));
  const chain = await chainOf(library, file, question, keys, progress, proofs);
  progress('Verifying');
  const given = { crypto: library.browserCrypto, keys: keys.keys, chain, absences: proofs };
  const result = library.verifyPackage(file.value, given);
  const pages = await judgePages(library, file, keys.keys, question.keys);
  progress('Computing the verdicts again');
  const redecision = await recompute(recomputing, library, file.value, result);
  const differing = differencesOf(redecision);
  const problems = [...pages.problems, ...result.problems, ...differing.problems];
  const settled = result.vouched.anchor && result.unsettled.length === 0;
  const complete = result.vouched.issuer && settled && pages.known && differing.open.length === 0;
  return {
    verdict: !result.ok || problems.length > 0 ? 'refused' : complete ? 'holds' : 'partly',
    what: 'package',
    facts: [...packageFacts(file.value), ['SHA-256 of this file', file.fileSha256]],
    reportId: textOf(file.value, 'reportId'),
    packageSha256: result.sha256,
    keySource: keys.description,
    chainSource: chainSource(question, keys),
    checked: [...result.checked, ...pages.checked],
    notChecked: [...result.notChecked, ...pages.notChecked, ...differing.open],
    problems,
    problemCount: result.problemCount + pages.problems.length + differing.problems.length,
    redecision,
    oversight: result.ok ? oversightIn(file.value) : null,
    completeness: result.completeness,
    windowTimes: result.windowTimes,
  };
}

/** A verdict, balance or statement that does not follow is a problem; what this page cannot confirm leaves the verdict open. */
function differencesOf(redecision: Recomputed | null): {
  readonly problems: Outcome['problems'];
  readonly open: readonly string[];
} {
  if (redecision === null) return { problems: [], open: [] };
  const found = redecision.result === 'differs' ? redecision.problems : [];
  const problems = found.map((message) => ({ code: 'redecision', path: 'events', message }));
  return { problems, open: redecision.open };
}

async function judgeAbsence(
  library: EvidenceLibrary,
  file: ReadFile,
  question: Question,
  progress: (text: string) => void,
): Promise<Outcome> {
  const wantsAuthorities = question.rpc !== null && question.rpc.authority === null && question.keys.from === 'service';
  const keys = wantsAuthorities ? await findKeys(library, question.keys, null) : NO_KEYS;
  const chain = await chainOf(library, file, question, keys, progress);
  const result = library.verifyAbsence(file.value, { crypto: library.browserCrypto, chain });
  return {
    verdict: !result.ok ? 'refused' : result.vouched.anchor ? 'holds' : 'partly',
    what: 'absence',
    facts: [
      ['Claim', 'the agent had no event in the window'],
      ['Agent', result.agentId ?? '?'],
      ['Window', `${result.windowStart ?? '?'} to ${result.windowEnd ?? '?'}`],
      ['SHA-256 of this file', file.fileSha256],
    ],
    reportId: null,
    packageSha256: null,
    keySource: null,
    chainSource: chainSource(question, keys),
    checked: result.checked,
    notChecked: result.notChecked,
    problems: result.problems,
    problemCount: result.problems.length,
    redecision: null,
    oversight: null,
    completeness: [],
    windowTimes: [],
  };
}

/** True for one event with its proof, as `GET /v1/events/{eventId}/proof` answers it. */
function claimsEvent(value: unknown): value is { readonly event: unknown; readonly proof: unknown } {
  return typeof value === 'object' && value !== null && Object.keys(value).sort().join() === 'event,proof';
}

/** One event without a signature: its paths lead to the root of a window, for which the chain alone can vouch. */
async function judgeEvent(
  library: EvidenceLibrary,
  file: ReadFile,
  question: Question,
  progress: (text: string) => void,
): Promise<Outcome> {
  const { event, proof } = file.value as { readonly event: unknown; readonly proof: unknown };
  const wantsAuthorities = question.rpc !== null && question.rpc.authority === null && question.keys.from === 'service';
  const keys = wantsAuthorities ? await findKeys(library, question.keys, null) : NO_KEYS;
  const chain = await chainOf(library, { ...file, value: proof }, question, keys, progress);
  progress('Verifying');
  const result = library.verifyEventProof(event, proof, { crypto: library.browserCrypto, chain });
  const { event: found, leafHash, problems } = result;
  const isProven = result.ok && found.anchored;
  const isOurs = chain?.authorities?.some(({ network }) => network === found.network) ?? false;
  const isVouched = isProven && found.chain.checked && isOurs;
  const pathWords = `Both paths lead from the hash of the event to the root ${found.merkleRoot ?? '?'}.`;
  const openWords = found.anchored
    ? `The root: ${found.chain.detail}`
    : 'The event is not anchored yet: it has no path.';
  return {
    verdict: problems.length > 0 ? 'refused' : isVouched ? 'holds' : 'partly',
    what: 'event',
    facts: [
      ['Event', word(found.eventId)],
      ['Leaf hash', leafHash ?? '?'],
      ['Root', found.merkleRoot ?? 'none yet'],
      ['Transaction', found.txSignature ?? 'none yet'],
      ['SHA-256 of this file', file.fileSha256],
    ],
    reportId: null,
    packageSha256: null,
    keySource: null,
    chainSource: chainSource(question, keys),
    checked: [
      ...(leafHash === null ? [] : ['The event is a leaf of the form that is hashed, and its hash was computed.']),
      ...(isProven ? [pathWords] : []),
      ...(isVouched ? [found.chain.detail] : []),
    ],
    notChecked: isVouched || problems.length > 0 ? [] : [openWords],
    problems,
    problemCount: problems.length,
    redecision: null,
    oversight: null,
    completeness: [],
    windowTimes: [],
  };
}

/** The proofs of a file: one, or a list of them. */
async function readAbsences(library: EvidenceLibrary, bytes: Uint8Array): Promise<readonly unknown[]> {
  const file = await readFile(library, bytes);
  if (typeof file !== 'string' && file.pdf === null) {
    if (Array.isArray(file.value)) return file.value as readonly unknown[];
    if (library.claimsAbsence(file.value)) return [file.value];
  }
  throw new Error('a file holds no proofs of absence');
}

const NO_KEYS: FoundKeys = { keys: null, authorities: null, description: '' };

async function chainOf(
  library: EvidenceLibrary,
  file: ReadFile,
  { rpc }: Question,
  keys: FoundKeys,
  progress: (text: string) => void,
  absences: readonly unknown[] = [],
): Promise<ChainFacts | null> {
  if (rpc === null) return null;
  const named = [file.value, ...absences].flatMap(library.transactionsToAsk);
  return askChain(library, rpc.url, named, authoritiesOf(rpc.authority, named[0]?.network, keys), progress, file.value);
}

function authoritiesOf(
  authority: string | null,
  network: string | undefined,
  keys: FoundKeys,
): readonly AnchorAuthority[] | null {
  if (authority === null) return keys.authorities;
  return [{ address: authority, network: network ?? 'unknown', validFrom: null, validTo: null }];
}

function chainSource({ rpc }: Question, keys: FoundKeys): string {
  if (rpc === null) return 'not asked: you gave no RPC address';
  if (rpc.authority !== null) return `${rpc.url}, for the authority that you gave, ${rpc.authority}`;
  if (keys.authorities === null) return `${rpc.url}, for no particular authority: none was given`;
  return `${rpc.url}, for the authorities that this service publishes`;
}

function unreadable(message: string): Outcome {
  return {
    verdict: 'refused',
    what: 'unreadable',
    facts: [],
    reportId: null,
    packageSha256: null,
    keySource: null,
    chainSource: '',
    checked: [],
    notChecked: [],
    problems: [{ code: 'structure', path: '', message }],
    problemCount: 1,
    redecision: null,
    oversight: null,
    completeness: [],
    windowTimes: [],
  };
}

function packageFacts(value: unknown): [string, string][] {
  const members = (value ?? {}) as Record<string, Record<string, unknown> | undefined>;
  const { range, summary, timestamp } = members;
  const facts: [string, string | null][] = [
    ['Report', textOf(value, 'reportId')],
    ['Period', range === undefined ? null : `${word(range?.['from'])} to ${word(range?.['to'])}`],
    [
      'Events',
      summary === undefined
        ? null
        : `${word(summary?.['events'])}: ${word(summary?.['allowed'])} allowed, ${word(summary?.['denied'])} denied, ${word(summary?.['gap'])} to review`,
    ],
    [
      'Issued at',
      timestamp === undefined ? null : `${word(timestamp?.['issued_at'])}, anchor ${word(timestamp?.['anchor'])}`,
    ],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== null);
}

function textOf(value: unknown, member: string): string | null {
  const found = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[member] : null;
  return typeof found === 'string' ? found : null;
}

function word(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 100) : '?';
}

import { chainOf, chainSource, NO_KEYS } from './chain-facts.js';
import type { EvidenceLibrary } from './evidence-library.js';
import { findKeys } from './find-keys.js';
import { judgePackage } from './judge-package.js';
import { findSeries, judgeSeries, type GivenFile } from './judge-series.js';
import { word, type Outcome, type Question } from './outcome.js';
import { readFile, type ReadFile } from './read-file.js';
import type { Recomputing } from './recompute.js';

export type { GivenFile } from './judge-series.js';
export type { Outcome, Question } from './outcome.js';

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
  if (library.claimsSeries(file.value)) {
    return judgeSeries(library, recomputing, file, [], question, progress);
  }
  const proofs = (await Promise.all(absences.map((proof) => readAbsences(library, proof)))).flat();
  return (await judgePackage(library, recomputing, file, question, progress, proofs)).outcome;
}

/**
 * Verifies a series with the packages that were given with it. Nothing of the files leaves the reader's machine.
 * @throws Error in words for the reader where none of the files is a series
 */
export async function judgeTogether(
  library: EvidenceLibrary,
  recomputing: Recomputing,
  files: readonly GivenFile[],
  question: Question,
  progress: (text: string) => void,
): Promise<Outcome> {
  progress('Reading the files');
  const { series, others } = await findSeries(library, files);
  return judgeSeries(library, recomputing, series, others, question, progress);
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

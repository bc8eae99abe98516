import { chainOf, chainSource } from './chain-facts.js';
import type { VerificationResult } from './evidence.js';
import type { EvidenceLibrary } from './evidence-library.js';
import { findKeys, namedKey } from './find-keys.js';
import { judgePages } from './judge-pages.js';
import { textOf, word, type Outcome, type Question } from './outcome.js';
import { oversightIn } from './oversight.js';
import type { ReadFile } from './read-file.js';
import { recompute, type Recomputed, type Recomputing } from './recompute.js';

/** @param proofs proofs of absence, for windows that the package does not list */
export async function judgePackage(
  library: EvidenceLibrary,
  recomputing: Recomputing,
  file: ReadFile,
  question: Question,
  progress: (text: string) => void,
  proofs: readonly unknown[],
): Promise<{ readonly outcome: Outcome; readonly result: VerificationResult }> {
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
  const outcome: Outcome = {
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
  return { outcome, result };
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

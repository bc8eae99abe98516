import { chainOf, chainSource } from './chain-facts.js';
import type { EvidenceLibrary } from './evidence-library.js';
import { findKeys, namedKey } from './find-keys.js';
import { judgePackage } from './judge-package.js';
import { judgePages } from './judge-pages.js';
import { textOf, word, type Outcome, type Question } from './outcome.js';
import { readFile, type ReadFile } from './read-file.js';
import type { Recomputing } from './recompute.js';

/** A file that the reader gave together with others. */
export interface GivenFile {
  readonly name: string;
  readonly content: Blob;
}

/** Problems of one package that are listed; more of them say no more. */
const SHOWN_OF_EACH = 3;

/** Reads the bytes of a file. */
export async function bytesOf(file: Blob): Promise<Uint8Array> {
  return new Uint8Array(await file.arrayBuffer());
}

/**
 * Finds the series among several files: the one that is named `series.json` is read first, then the smaller ones.
 * @throws Error in words for the reader where none of them is a series
 */
export async function findSeries(
  library: EvidenceLibrary,
  files: readonly GivenFile[],
): Promise<{ readonly series: ReadFile; readonly others: readonly GivenFile[] }> {
  const isNamed = ({ name }: GivenFile): number => (name === 'series.json' ? 0 : 1);
  const likely = [...files].sort((a, b) => isNamed(a) - isNamed(b) || a.content.size - b.content.size);
  for (const file of likely) {
    const read = await readFile(library, await bytesOf(file.content));
    if (typeof read !== 'string' && library.claimsSeries(read.value)) {
      return { series: read, others: files.filter((other) => other !== file) };
    }
  }
  throw new Error('none of these files is a series: choose one report, or series.json with its packages');
}

/**
 * Verifies a series and the packages that were given with it, one at a time. Each given file has to be one of its
 * packages; without any, the series is verified alone and the verdict stays open.
 */
export async function judgeSeries(
  library: EvidenceLibrary,
  recomputing: Recomputing,
  series: ReadFile,
  others: readonly GivenFile[],
  question: Question,
  progress: (text: string) => void,
): Promise<Outcome> {
  progress('Fetching the key');
  const keys = await findKeys(library, question.keys, namedKey(series.value));
  const opened = library.openSeries(series.value, { crypto: library.browserCrypto, keys: keys.keys });
  const wrong: Outcome['problems'][number][] = [];
  const open = new Set<string>();
  let given = 0;
  let allHold = true;
  for (const { name, content } of opened.listed.length === 0 ? [] : others) {
    given += 1;
    const of = (text: string): void => progress(`File ${given} of ${others.length}, ${name}: ${text}`);
    const file = await readFile(library, await bytesOf(content));
    if (typeof file === 'string') {
      wrong.push({ code: 'structure', path: name, message: file });
      continue;
    }
    const { outcome, result } = await judgePackage(library, recomputing, file, question, of, []);
    opened.addPackage(file.value, result);
    allHold &&= outcome.verdict === 'holds';
    for (const problem of outcome.problems.slice(0, SHOWN_OF_EACH)) {
      wrong.push({ ...problem, path: problem.path === '' ? name : `${name}: ${problem.path}` });
    }
    for (const line of outcome.notChecked) open.add(`of packages: ${line}`);
  }
  progress('Verifying the series');
  const result = opened.finish(await chainOf(library, series, question, keys, progress));
  const pages = await judgePages(library, series, keys.keys, question.keys);
  const problems = [...pages.problems, ...result.problems, ...wrong];
  const vouched = result.vouched.issuer && result.vouched.anchor && result.unsettled.length === 0;
  return {
    verdict: problems.length > 0 ? 'refused' : vouched && allHold && pages.known ? 'holds' : 'partly',
    what: 'series',
    facts: [...seriesFacts(series.value, result.packages), ['SHA-256 of this file', series.fileSha256]],
    reportId: null,
    packageSha256: null,
    keySource: keys.description,
    chainSource: chainSource(question, keys),
    checked: [...result.checked, ...pages.checked],
    notChecked: [...result.notChecked, ...pages.notChecked, ...open],
    problems,
    problemCount: result.problemCount + pages.problems.length + wrong.length,
    redecision: null,
    oversight: null,
    completeness: [],
    windowTimes: [],
  };
}

function seriesFacts(value: unknown, packages: readonly { readonly given: boolean }[]): [string, string][] {
  const { range, totals, agents, timestamp } = (value ?? {}) as Record<string, Record<string, unknown> | undefined>;
  const given = packages.filter((one) => one.given).length;
  return [
    ['Series', textOf(value, 'seriesId') ?? '?'],
    ['Period', `${word(range?.['from'])} to ${word(range?.['to'])}`],
    ['Packages', `${packages.length}, ${given} of them among the files`],
    ['Agents', Array.isArray(agents) ? `${agents.length}` : '?'],
    [
      'Events',
      `${word(totals?.['events'])}: ${word(totals?.['allowed'])} allowed, ${word(totals?.['denied'])} denied, ${word(totals?.['gap'])} to review`,
    ],
    ['Issued at', `${word(timestamp?.['issued_at'])}, anchor ${word(timestamp?.['anchor'])}`],
  ];
}

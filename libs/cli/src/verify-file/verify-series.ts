import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  openSeries,
  type ChainFacts,
  type PdfPages,
  type SeriesResult,
  type VerificationKey,
} from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { CommandFailed, EXIT } from '../exit-codes.js';
import { worseCode } from './redecide-file.js';
import { SeriesRedecisions } from './redecide-series.js';
import { describeSeries } from './describe-series.js';
import { readPackage, type ReadPackage } from './read-package.js';
import { problemLines, withPages, type PackageReport, type VerifyReport } from './verify-report.js';

/** Name of the manifest in a folder that `countersign export` writes. */
export const MANIFEST = 'series.json';

/** Steps of a verification with the user's keys, chain and options. */
export interface PackageSteps {
  exitCode(result: Pick<SeriesResult, 'ok' | 'vouched' | 'unsettled'>): number;
  chainOf(subject: unknown): Promise<ChainFacts | null>;
  verifyPackage(found: ReadPackage): Promise<PackageReport>;
}

/** @throws CommandFailed 64 if the folder has none */
export async function manifestIn(folder: string): Promise<string> {
  if ((await readdir(folder)).includes(MANIFEST)) return join(folder, MANIFEST);
  throw new CommandFailed(
    EXIT.usage,
    `${folder} holds no ${MANIFEST}: name the folder that countersign export wrote, or a file`,
  );
}

/**
 * Verifies a series with the packages in its folder, one at a time. Of a folder that was named, every package must be
 * listed and none may be missing. Beside a manifest that was named, other files are ignored, and a manifest without any
 * of its packages is verified alone.
 */
export async function verifySeries(
  { file, value, isFolder }: { readonly file: string; readonly value: unknown; readonly isFolder: boolean },
  pages: PdfPages | null,
  keys: readonly VerificationKey[] | null,
  steps: PackageSteps,
): Promise<VerifyReport> {
  const opened = openSeries(value, { crypto: nodeCrypto, keys });
  const listed = new Set(opened.listed.map(({ reportId }) => reportId));
  const folder = dirname(file);
  let code: number = EXIT.holds;
  const notChecked = new Set<string>();
  const wrong: string[] = [];
  const redecisions = new SeriesRedecisions();
  for (const name of listed.size === 0 ? [] : await candidates(folder, basename(file))) {
    const found = await readPackage(join(folder, name));
    if (typeof found === 'string') {
      if (isFolder) wrong.push(`${name}: ${found}`);
      continue;
    }
    if (!isPackage(found.value) || (!isFolder && !listed.has(found.value.reportId))) continue;
    const report = await steps.verifyPackage(found);
    opened.addPackage(found.value, report.result);
    wrong.push(...report.problems.slice(0, SHOWN_OF_EACH).map((problem) => `${name}: ${problem}`));
    for (const line of report.notChecked) notChecked.add(`of packages: ${line}`);
    // The pages of a PDF, for example: the package that it carries may be sound.
    if (report.exitCode === EXIT.unchecked) code = worst(code, EXIT.unchecked);
    if (report.redecision === undefined) continue;
    code = worseCode(code, report.redecision);
    const differences = redecisions.add(name, found.value.reportId, report.redecision);
    wrong.push(...differences.map((line) => `${name}: ${line}`));
  }
  if (await hasPdf(file)) notChecked.add(`${PDF_OF_SERIES}: ${MANIFEST} was verified; name the PDF to verify that`);
  const plain = opened.finish(await steps.chainOf(value));
  const result = pages === null ? plain : withPages(plain, pages);
  const own = wrong.length > 0 ? EXIT.wrong : steps.exitCode(result);
  const open = pages !== null && pages.verdict !== 'issued' && own === EXIT.holds;
  const seriesRedecision = redecisions.result();
  return {
    exitCode: worst(code, open ? EXIT.unchecked : own),
    result,
    title: describeSeries(value),
    notChecked: [...result.notChecked, ...redecisions.notChecked(), ...[...notChecked].slice(0, SHOWN_NOT_CHECKED)],
    problems: [...problemLines(result.problems, 'series'), ...wrong],
    ...(seriesRedecision === null ? {} : { seriesRedecision }),
  };
}

const PDF_OF_SERIES = 'series.pdf';

/** True where a PDF of the series lies next to its manifest. */
async function hasPdf(manifest: string): Promise<boolean> {
  return basename(manifest) === MANIFEST && (await readdir(dirname(manifest))).includes(PDF_OF_SERIES);
}

const SHOWN_OF_EACH = 3;
const SHOWN_NOT_CHECKED = 20;
const WORSE: readonly number[] = [EXIT.holds, EXIT.unchecked, EXIT.wrong];

function worst(a: number, b: number): number {
  return WORSE.indexOf(a) > WORSE.indexOf(b) ? a : b;
}

/** JSON and PDF files in the order of their names, without the series itself as JSON or PDF. */
async function candidates(folder: string, manifest: string): Promise<readonly string[]> {
  const stem = manifest.replace(/\.(json|pdf)$/i, '');
  const found = await readdir(folder, { withFileTypes: true });
  return found
    .filter((entry) => entry.isFile() && /\.(json|pdf)$/i.test(entry.name))
    .map(({ name }) => name)
    .filter((name) => name.replace(/\.(json|pdf)$/i, '') !== stem)
    .sort();
}

/** True for what claims to be a package; keys, proofs and other files lie beside them. */
function isPackage(value: unknown): value is { readonly reportId: string } {
  return typeof value === 'object' && value !== null && 'reportId' in value && 'inclusionProofs' in value;
}

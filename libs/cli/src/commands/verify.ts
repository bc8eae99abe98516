import { InvalidArgumentError, type Command } from 'commander';
import { WALK_BOUND } from '@countersign/evidence';
import { describeRedecision, describeTotals, redecisionProblems } from '@countersign/redecide';
import { collect } from '../api-client/target-options.js';
import { describeCompleteness, describeTimes, oneLine } from '../verify-file/describe-package.js';
import { verifyFile } from '../verify-file/verify-file.js';
import type { VerifyReport } from '../verify-file/verify-report.js';

interface Options {
  readonly key?: readonly string[];
  readonly rpc?: readonly string[];
  readonly authority?: readonly string[];
  readonly absence?: readonly string[];
  readonly walk?: number;
  readonly redecide?: boolean;
  readonly json?: boolean;
}

/** `countersign verify FILE`: uses the file, the given keys and the given chain, and nothing else. */
export function register(program: Command): void {
  program
    .command('verify')
    .description(
      'check a signed package, a series of them, or a proof of absence, with nothing of ours: the file, a key, a chain',
    )
    .argument(
      '<file>',
      'the signed package (JSON), the PDF that carries it, a proof of absence, or a series: its folder or series.json',
    )
    .option(
      '--key <pem>',
      'public key that you trust (PEM), or a saved JWK set, repeatable; without it the issuer is not checked',
      collect,
    )
    .option('--rpc <url>', 'Solana RPC that you trust, repeatable; without it the chain is not asked', collect)
    .option('--authority <address>', 'address of the anchoring authority that you trust, repeatable', collect)
    .option('--absence <file>', 'proofs of absence for windows that the package does not list, repeatable', collect)
    .option('--walk <n>', `transactions of each authority that are listed at most; default ${WALK_BOUND}`, whole)
    .option('--redecide', 'compute every verdict of the package again, and compare the balances from check to check')
    .option('--json', 'print the whole result as JSON')
    .addHelpText(
      'after',
      '\nEnds with 0: all that was asked holds; 1: something is wrong; 2: integrity only, the issuer, the chain or the pages of a PDF were not checked, nothing is on the chain that was named, the chain leaves something open (windows anchored late, or not listed), or nothing proves that a retired key signed while it was valid; 64: usage.\nWith --redecide it also ends with 1 where a verdict differs or a balance breaks, and with 2 where a verdict is withheld, erased or not checked.',
    )
    .action(async (file: string, options: Options) => {
      const report = await verifyFile({
        file,
        keys: options.key ?? [],
        rpcUrls: options.rpc ?? [],
        authorities: options.authority ?? [],
        absences: options.absence ?? [],
        ...(options.walk === undefined ? {} : { walkBound: options.walk }),
        ...(options.redecide === true ? { redecide: true } : {}),
      });
      process.stdout.write(options.json === true ? `${JSON.stringify(report, null, 2)}\n` : text(file, report));
      process.exitCode = report.exitCode;
    });
}

function whole(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number from 1.');
  return value;
}

const SHOWN_PROBLEMS = 5;
const UNREADABLE = 'not computed: events or openings of the package are not what they claim to be';

/** The verdicts of a package or a series that were computed again, one line each. */
function decidedAgain({ redecision, seriesRedecision }: VerifyReport): readonly string[] {
  if (redecision !== undefined) return redecision === null ? [UNREADABLE] : describeRedecision(redecision);
  if (seriesRedecision === undefined) return [];
  const { totals, engine, packages } = seriesRedecision;
  if (totals === null || engine === null) return [UNREADABLE];
  const computed = packages.filter((one) => one.totals !== null).length;
  return [`of ${computed} of ${packages.length} packages, an agent once for each:`, ...describeTotals(totals, engine)];
}

/** The report as text; the most important problem comes first. */
export function text(file: string, report: VerifyReport): string {
  const lines = [file, ...report.title.map((line) => `  ${oneLine(line)}`), ''];
  if (report.result !== null && report.result.checked.length > 0)
    lines.push('Checked', ...report.result.checked.map((line) => `  ok  ${oneLine(line)}`), '');
  if (report.result !== null && 'completeness' in report.result && report.result.completeness.length > 0)
    lines.push(
      'Sequences',
      ...describeCompleteness(report.result.completeness).map((line) => `      ${oneLine(line)}`),
      '',
    );
  if (report.result !== null && 'windowTimes' in report.result && report.result.windowTimes.length > 0)
    lines.push('Windows', ...describeTimes(report.result.windowTimes).map((line) => `      ${oneLine(line)}`), '');
  const again = decidedAgain(report);
  if (again.length > 0) lines.push('Decided again', ...again.map((line) => `      ${oneLine(line)}`), '');
  if (report.notChecked.length > 0)
    lines.push('Not checked', ...report.notChecked.map((line) => `  --  ${oneLine(line)}`), '');
  if (report.problems.length > 0) {
    const kept = report.result?.problems.length ?? 0;
    const unkept = report.result !== null && 'problemCount' in report.result ? report.result.problemCount - kept : 0;
    const more = report.problems.length + unkept - SHOWN_PROBLEMS;
    lines.push('Wrong', ...report.problems.slice(0, SHOWN_PROBLEMS).map((problem) => `  !!  ${oneLine(problem)}`));
    lines.push(...(more > 0 ? [`      and ${more} more`] : []), '');
  }
  const { redecision } = report;
  const differences = redecision === undefined || redecision === null ? [] : redecisionProblems(redecision);
  if (differences.length > 0)
    lines.push('Decided otherwise', ...differences.map((line) => `  !!  ${oneLine(line)}`), '');
  const verdicts: Readonly<Record<number, string>> = {
    0: 'VERIFIED: all that was asked holds.',
    1: 'REFUSED: do not rely on this file.',
    2: 'INTACT, but not everything was checked: see above.',
  };
  return `${[...lines, verdicts[report.exitCode] ?? ''].join('\n')}\n`;
}

// Reads the reports of Jest (`--json`), of which one may be a second run of the failed files.
//   node .ci/test-report.mjs again FIRST          prints the files that may run once more by themselves; nothing where none may
//   node .ci/test-report.mjs merge FIRST SECOND   replaces in FIRST what passes in the second run, and prints what failed before
//   node .ci/test-report.mjs totals FIRST         prints how many tests passed, failed and were skipped
//   node .ci/test-report.mjs failed FIRST         prints what failed, a line each
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Files of tests that share the machine's cores, disk and ports with others. */
const SHARES_THE_MACHINE = /(?:^test-e2e\/|\.int\.test\.js$)/;
/** More than this is no accident. */
const MOST = 10;

const [command, first, second] = process.argv.slice(2);
const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const nameOf = ({ name }) => relative(process.cwd(), name);
const testsOf = ({ assertionResults }, status) => assertionResults.filter((test) => test.status === status);
const report = read(first);
const failedFiles = report.testResults.filter(({ status }) => status === 'failed');

const commands = {
  again() {
    // A file after which its process died counts twice, as passed and as failed.
    const isWhole =
      report.numTotalTestSuites <=
      report.numPassedTestSuites + report.numFailedTestSuites + report.numPendingTestSuites;
    const may = failedFiles.length <= MOST && failedFiles.every((file) => SHARES_THE_MACHINE.test(nameOf(file)));
    if (isWhole && may) failedFiles.forEach((file) => console.log(nameOf(file)));
  },

  merge() {
    // Jest says "focused" of a file that passes and skips a test.
    const steady = read(second).testResults.filter(
      (file) => file.status !== 'failed' && testsOf(file, 'passed').length > 0,
    );
    for (const rerun of steady) {
      const before = report.testResults.filter(({ name }) => name === rerun.name);
      console.log(`UNSTEADY ${nameOf(rerun)} passes by itself; beside others it failed:`);
      before.flatMap(linesOf).forEach((line) => console.log(`  ${line}`));
      report.testResults = report.testResults.filter((file) => !before.includes(file)).concat(rerun);
    }
    writeFileSync(first, JSON.stringify(report));
  },

  totals() {
    const count = (status) => report.testResults.flatMap((file) => testsOf(file, status)).length;
    const withoutTest = failedFiles.filter((file) => testsOf(file, 'failed').length === 0).length;
    console.log([count('passed'), count('failed') + withoutTest, count('pending') + count('todo')].join(' '));
  },

  failed() {
    for (const file of failedFiles) linesOf(file).forEach((line) => console.log(`${nameOf(file)}: ${line}`));
  },
};

/** Names of its failed tests; its message, where it failed without one. */
function linesOf(file) {
  const tests = testsOf(file, 'failed').map(({ fullName }) => fullName);
  return file.status !== 'failed' || tests.length > 0 ? tests : [file.message.split('\n', 1)[0]];
}

commands[command]();

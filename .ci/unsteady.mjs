// Which test files may run once more by themselves, and what came of it.
//   node .ci/unsteady.mjs files FIRST         prints them, one a line; nothing where none may
//   node .ci/unsteady.mjs merge FIRST AGAIN   puts the second run of those files into the report of the first
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Files of tests that share the machine's cores, disk and ports with others. */
const SHARES_THE_MACHINE = /(?:^test-e2e\/|\.int\.test\.js$)/;
/** More than this is no accident. */
const MOST = 10;

const [command, first, again] = process.argv.slice(2);
const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const report = read(first);
const nameOf = ({ name }) => relative(process.cwd(), name);
const failed = report.testResults.filter(({ status }) => status === 'failed');

function mayRunAgain() {
  // A file after which its process died counts twice, as passed and as failed.
  const whole =
    report.numTotalTestSuites <= report.numPassedTestSuites + report.numFailedTestSuites + report.numPendingTestSuites;
  return whole && failed.length <= MOST && failed.every((file) => SHARES_THE_MACHINE.test(nameOf(file)));
}

function merge() {
  const second = read(again);
  // Jest says "focused" of a file that passes and skips a test.
  const passes = ({ status, assertionResults }) =>
    status !== 'failed' && assertionResults.some((test) => test.status === 'passed');
  const steady = new Set(second.testResults.filter(passes).map(({ name }) => name));
  for (const file of failed) {
    if (!steady.has(file.name)) continue;
    const tests = file.assertionResults.filter(({ status }) => status === 'failed');
    const rerun = second.testResults.find(({ name }) => name === file.name);
    const passed = rerun.assertionResults.filter(({ status }) => status === 'passed').length;
    const passedBefore = report.testResults
      .filter(({ name }) => name === file.name)
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === 'passed').length;
    report.numFailedTests -= tests.length;
    report.numPassedTests += passed - passedBefore;
    if (tests.length === 0) report.numRuntimeErrorTestSuites -= 1;
    console.log(`UNSTEADY ${nameOf(file)} passes by itself; beside others it failed:`);
    console.log(tests.map(({ fullName }) => `  ${fullName}`).join('\n') || `  ${file.message}`);
  }
  writeFileSync(first, JSON.stringify(report));
}

if (command === 'files') {
  if (mayRunAgain()) console.log(failed.map(nameOf).join('\n'));
} else {
  merge();
}

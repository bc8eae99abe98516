/** A reporter of Jest: the slowest files of a run of many, and the CPU time that each took with the processes it started. */
import { relative } from 'node:path';

const SHOWN = 25;
const MANY = 100;

export default class Slowest {
  #cpuSeconds = new Map();

  onTestResult({ path }, { cpuSeconds = 0 }) {
    this.#cpuSeconds.set(path, cpuSeconds);
  }

  onRunComplete(_contexts, { testResults }) {
    if (testResults.length < MANY) return;
    const cpuOf = ({ testFilePath }) => this.#cpuSeconds.get(testFilePath) ?? 0;
    const sum = (of) => Math.round(testResults.reduce((total, result) => total + of(result), 0));
    console.log(
      `\nThe ${SHOWN} slowest of ${testResults.length} files, which took ${sum(secondsOf)} s together, of which ${sum(cpuOf)} s CPU time:`,
    );
    for (const result of testResults.toSorted((a, b) => secondsOf(b) - secondsOf(a)).slice(0, SHOWN)) {
      const figures = [secondsOf(result), cpuOf(result)].map((seconds) => seconds.toFixed(1).padStart(8));
      console.log(`${figures[0]} s ${figures[1]} s CPU  ${relative(process.cwd(), result.testFilePath)}`);
    }
  }
}

function secondsOf({ perfStats: { start, end } }) {
  return (end - start) / 1000;
}

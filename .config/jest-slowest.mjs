/** A reporter of Jest: the slowest files of a run of many. */
import { relative } from 'node:path';

const SHOWN = 25;
const MANY = 100;

export default class Slowest {
  onRunComplete(_contexts, { testResults }) {
    if (testResults.length < MANY) return;
    const slowest = testResults.toSorted((a, b) => secondsOf(b) - secondsOf(a)).slice(0, SHOWN);
    const all = testResults.reduce((sum, result) => sum + secondsOf(result), 0);
    console.log(`\nThe ${SHOWN} slowest of ${testResults.length} files, which took ${Math.round(all)} s together:`);
    for (const result of slowest) {
      console.log(`${secondsOf(result).toFixed(1).padStart(8)} s  ${relative(process.cwd(), result.testFilePath)}`);
    }
  }
}

function secondsOf({ perfStats: { start, end } }) {
  return (end - start) / 1000;
}

/** The program of a process of `jest-runner.mjs`: runs the test files that it is sent, and says what CPU time each took. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const runnerFolder = dirname(fileURLToPath(import.meta.resolve('jest-light-runner')));
const { default: run, setWorkerData } = await import(pathToFileURL(join(runnerFolder, 'worker-runner.js')).href);
const TICKS_PER_SECOND = 100;

process.on('message', async ({ path, globalConfig, projectConfig }) => {
  setWorkerData({ globalConfig, projectConfig, runtime: 'child_process' });
  const before = cpuSeconds();
  try {
    const result = await run(path);
    process.send({ result: { ...result, cpuSeconds: cpuSeconds() - before } });
  } catch (error) {
    process.send({ error });
  }
});

/** Of this process, and on Linux of its ended children and theirs. */
function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childrenSeconds();
}

function childrenSeconds() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

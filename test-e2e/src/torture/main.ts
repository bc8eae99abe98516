import { torture } from './torture.js';

/** `npm run torture [-- <rounds>]`: 200 rounds of SIGKILL under load on one data directory. */
const rounds = Number(process.argv[2] ?? 200);
if (!Number.isInteger(rounds) || rounds < 1) {
  process.stderr.write('name a number of rounds from 1\n');
  process.exit(64);
}
const result = await torture({ rounds, print: (line) => void process.stdout.write(`${line}\n`) });
const { answered, unanswered, differences, fsck, dataDir } = result;
process.stdout.write(
  [
    `${answered} checks answered, ${unanswered} without an answer, ${differences.length} differences`,
    ...differences.slice(0, 20),
    `fsck: ${fsck.count} findings, ${fsck.windows.anchored} of ${fsck.windows.closed} windows anchored`,
    ...fsck.lines.slice(0, 20),
    `data directory: ${dataDir}`,
    '',
  ].join('\n'),
);
const clean = differences.length === 0 && fsck.code === 0 && fsck.windows.anchored === fsck.windows.closed;
process.exit(clean ? 0 : 1);

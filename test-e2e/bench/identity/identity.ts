import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isInstalled } from '#infra/installed.js';
import { startMongo } from '#infra/processes/mongo.js';
import { databaseAt } from '../distributed/servers.js';
import { median } from '../load/samples.js';
import type { BenchOptions } from '../options.js';
import { aimLine } from '../throughput/report.js';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(
  new URL('../../../../services/identity/dist/store/mongo-writes-bench.js', import.meta.url),
);
const LANES = 16;
const SUBJECTS = ['bare', 'mongo', 'sqlite'] as const;
type Subject = (typeof SUBJECTS)[number];
/** Target in registrations a second, if a bare transaction of the database allows as many. */
const LEAST = 200;

/** Prints the registrations a second of identity's stores, compared with bare transactions of the same server. */
export async function identity(options: BenchOptions, print: (line: string) => void): Promise<void> {
  if (!isInstalled('mongo')) throw new Error('mongo must be installed to measure this: npm run infra -- install');
  const all: Readonly<Record<Subject, number>>[] = [];
  const mongo = await startMongo();
  try {
    for (let repetition = 1; repetition <= options.repetitions; repetition += 1) {
      const figures = { bare: 0, mongo: 0, sqlite: 0 };
      for (const subject of SUBJECTS) {
        const { href } = databaseAt(mongo.uri, `identity_${subject}_${repetition}`);
        const args = [PROGRAM, subject, String(options.seconds), String(LANES), href];
        const { stdout } = await run(process.execPath, args);
        figures[subject] = (JSON.parse(stdout) as { readonly perSecond: number }).perSecond;
      }
      all.push(figures);
      const shown = SUBJECTS.map((subject) => `${subject} ${figures[subject].toFixed(0)}`).join(', ');
      print(`${repetition} of ${options.repetitions}: registrations a second: ${shown}`);
    }
  } finally {
    await mongo.stop();
  }
  const of = (figure: (one: (typeof all)[number]) => number): number => median(all.map(figure));
  print('');
  print(
    `  ${of(({ bare }) => bare).toFixed(0)} bare transactions a second of as many documents on MongoDB, ${LANES} at once`,
  );
  print(aimLine({ what: 'registrations a second on MongoDB', figure: of((one) => one.mongo), atLeast: LEAST }));
  print(aimLine({ what: 'of the bare transactions', figure: of((one) => one.mongo / one.bare), atLeast: 0.5 }));
  print(aimLine({ what: 'registrations a second in SQLite', figure: of((one) => one.sqlite), atLeast: LEAST }));
}

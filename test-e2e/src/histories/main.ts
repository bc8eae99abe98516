import { histories } from './histories.js';

/** `npm run histories [-- <checks> [<seed>]]`: 100,000 random checks with faults, each decided again. */
const [checks = 100_000, seed = Date.now() % 4_294_967_296] = process.argv.slice(2).map(Number);
if (![checks, seed].every((value) => Number.isInteger(value) && value >= 0) || checks === 0) {
  process.stderr.write('name a number of checks from 1, and a seed\n');
  process.exit(64);
}
const print = (line: string): void => void process.stdout.write(`${Math.round(performance.now() / 1000)} s  ${line}\n`);
print(`seed ${seed}`);
const { answered, open, faults, totals, wrong, leftOut, problems, folder } = await histories({ checks, seed, print });
print(`${answered} checks answered, ${open} open; faults: ${JSON.stringify(faults)}`);
print(`decided again: ${JSON.stringify(totals)}`);
print(`not computed: ${JSON.stringify(leftOut)}`);
for (const line of [...wrong, ...problems].slice(0, 40)) print(line);
print(`${wrong.length} wrong, ${problems.length} problems of packages in ${folder}`);
process.exit(wrong.length + problems.length === 0 ? 0 : 1);

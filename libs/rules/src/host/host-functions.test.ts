import { readdirSync, readFileSync } from 'node:fs';
import { Fault, Timestamp } from '../index.js';
import { programOf } from '../rules.test-kit.js';
import { literalText } from '../cel/syntax.js';

interface Vectors {
  readonly function: string;
  readonly cases: readonly { readonly args: readonly unknown[]; readonly result: unknown; readonly offset?: number }[];
}

const FOLDER = new URL('../../vectors/host/', import.meta.url);
const vectors = readdirSync(FOLDER).map((file) => JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Vectors);

const literal = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(literal).join(', ')}]` : literalText(value as string);

/** The other arguments are literals, as in rules. */
function resultOf(name: string, [first, ...others]: readonly unknown[], offset?: number): unknown {
  const call = [name === 'hours' ? 'request.time' : 'args.v', ...others.map(literal)].join(', ');
  const program = programOf(`${name}(${call})`, { condition: false });
  const time = new Timestamp(BigInt(name === 'hours' ? (first as number) : 0) * 1_000_000_000n);
  const value = program.value({
    values: { args: { v: first }, request: { time } },
    offsets: offset === undefined ? {} : { 'Europe/Berlin': offset },
  });
  if (value instanceof Fault) return 'error';
  return typeof value === 'bigint' ? Number(value) : value;
}

test('nine functions have vectors', () => {
  expect(vectors.map((one) => one.function).sort()).toEqual([
    ...['decimal', 'domain_in', 'host_in', 'hours', 'lower', 'matches', 'read_only_sql', 'under', 'words'],
  ]);
});

// host_in depends on the matcher of entries: libs/policy-engine runs its vectors.
describe.each(vectors.filter((one) => one.function !== 'host_in'))('$function', ({ function: name, cases }) => {
  test.each(cases.map((one) => [JSON.stringify(one.args).slice(0, 100), one] as const))(
    '%s',
    (_, { args, result, offset }) => {
      expect(resultOf(name, args, offset)).toEqual(result);
    },
  );
});

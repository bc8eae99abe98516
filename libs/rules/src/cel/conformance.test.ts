import { readFileSync } from 'node:fs';
import { compileCel, Fault } from '../index.js';
import { PORTS } from '../rules.test-kit.js';

type Encoded = Readonly<Record<string, unknown>>;

interface Case {
  readonly name: string;
  readonly expr: string;
  readonly bindings?: Readonly<Record<string, Encoded>>;
  readonly value?: Encoded;
  readonly error?: true;
}

const FILES = [
  ...['basic', 'comparisons', 'conversions', 'fields', 'fp_math', 'integer_math', 'lists', 'logic', 'macros', 'string'],
  'timestamps',
];

const casesOf = (file: string): readonly Case[] =>
  JSON.parse(
    readFileSync(new URL(`../../vectors/public/cel-spec/${file}.json`, import.meta.url), 'utf8'),
  ) as readonly Case[];

/** Parts of CEL that the dialect leaves out: the reason, how its cases are recognised, and their number. */
const OUTSIDE: readonly (readonly [reason: string, pattern: RegExp, count: number])[] = [
  ['bytes and unsigned integers', /(?<![\w.'"])(?:\d+|0x[\da-f]+)u(?!\w)|(?<![\w'"])br?['"]|\b(?:bytes|uint)\(/i, 235],
  ['messages of protocol buffers', /\w\{|google\.protobuf/, 56],
  ['types as values', /\btype\(|^(?:bool|int|uint|double|null_type|string|bytes|list|map|type)$/, 27],
  ['time zones of the host', /\.get\w+\(['"]/, 12],
  ['parts of a span of time', /^(?:duration\(.*|x)\.get\w+\(\)$/, 4],
  ['texts of times', /^string\((?:timestamp|duration)/, 3],
  ['loops in loops', /\.all\([^)]*\.all\(|\.filter\([^)]*\.all\(/, 2],
  ['names in backquotes', /`/, 6],
  ['names with dots', /^a\.b\.c$/, 4],
  ['numbers that begin with a point', /^\.\d/, 1],
  [
    'operands of a wrong type, which are refused before they are evaluated',
    /^(?:false && 32|true \|\| 32|'horses' .*)$/,
    4,
  ],
  ['unknown names, which are refused before they are evaluated', /^(?:x|f_unknown\(17\)) \|\| true$/, 2],
  [
    'lossy comparisons beyond 2^53: ours are exact',
    /^dyn\(9223372036854775807\) (?:<|>=) 9223372036854775808\.0$|^dyn\(9223372036854775808\.0\) (?:>|<=) 9223372036854775807$/,
    4,
  ],
];

function valueOf(encoded: Encoded): unknown {
  const [[kind, value]] = Object.entries(encoded) as [[string, unknown]];
  switch (kind) {
    case 'int':
      return BigInt(value as string);
    case 'double':
      return Number(String(value).replace(/^(-?)inf(?:inity)?$/i, '$1Infinity'));
    case 'list':
      return (value as Encoded[]).map(valueOf);
    case 'map':
      return new Map((value as [Encoded, Encoded][]).map(([key, held]) => [valueOf(key), valueOf(held)]));
    default:
      return value;
  }
}

function resultOf({ expr, bindings = {} }: Case): unknown {
  const names = Object.keys(bindings);
  const result = compileCel(expr, {
    variables: Object.fromEntries(names.map((name) => [name, { kind: 'json' } as const])),
    ports: PORTS,
    presence: false,
    condition: false,
  });
  if ('problem' in result) return 'refused';
  const values = Object.fromEntries(names.map((name) => [name, valueOf(bindings[name]!)]));
  const value = result.program.value({ values, offsets: {} });
  return value instanceof Fault ? 'error' : value;
}

describe('conformance tests of CEL', () => {
  test.each(FILES)('%s', (file) => {
    const failed: unknown[] = [];
    let passed = 0;
    for (const one of casesOf(file)) {
      if (OUTSIDE.some(([, pattern]) => pattern.test(one.expr))) continue;
      const result = resultOf(one);
      try {
        if (one.error === true) expect(['error', 'refused']).toContain(result);
        else expect(result).toEqual(valueOf(one.value!));
        passed += 1;
      } catch {
        failed.push([one.name, one.expr, result]);
      }
    }
    expect(failed).toEqual([]);
    expect(passed).toBeGreaterThan(0);
  });

  test('cases outside the dialect are the listed ones, and are refused', () => {
    const outside = FILES.flatMap(casesOf).filter(({ expr }) =>
      OUTSIDE.slice(0, -1).some(([, pattern]) => pattern.test(expr)),
    );
    expect(outside.filter((one) => !['refused', 'error'].includes(resultOf(one) as string))).toEqual([]);
    const counts = OUTSIDE.map(([reason, pattern]) => [
      reason,
      FILES.flatMap(casesOf).filter(({ expr }) => OUTSIDE.find(([, first]) => first.test(expr))?.[1] === pattern)
        .length,
    ]);
    expect(counts).toEqual(OUTSIDE.map(([reason, , count]) => [reason, count]));
  });
});

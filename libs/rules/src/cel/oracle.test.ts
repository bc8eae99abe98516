import { celEnv, isCelError, parse, plan } from '@bufbuild/cel';
import fc from 'fast-check';
import { compileCel } from '../index.js';
import { PORTS } from '../rules.test-kit.js';

/** Random runs of a property: all with `COUNTERSIGN_TEST_LONG=true`, a fifth of them in every run. */
const runs = (all: number): number => (process.env['COUNTERSIGN_TEST_LONG'] === 'true' ? all : all / 5);

const ARGS = {
  a: 3,
  b: -1.5,
  s: 'héllo 😀',
  t: '',
  l: [1, 2.5, 3],
  texts: ['x', 'héllo', ''],
  objects: [{ p: 1 }, { p: 2, q: 'z' }, {}],
  o: { p: 1, q: { r: true } },
  n: null,
  y: true,
};

const number = fc.constantFrom(
  'args.a',
  'args.b',
  '1.5',
  '-2.0',
  '3',
  '0',
  'args.l[0]',
  'args.l[2]',
  'args.o.p',
  'args.missing',
  'args.s',
);
const integer = fc.constantFrom(
  '1',
  '-7',
  '3',
  'size(args.s)',
  'size(args.l)',
  'args.texts.size()',
  '0',
  'int(args.b)',
  'size(args.a)',
);
const text = fc.constantFrom(
  'args.s',
  'args.t',
  "'héllo'",
  "'x'",
  "''",
  'args.texts[1]',
  'args.n',
  "string(args.a) + 'x'",
  'args.missing',
);
const any = fc.oneof(
  number,
  integer,
  text,
  fc.constantFrom('args.l', 'args.o', 'args.objects', 'args.n', 'null', 'true', '[1, 2.5, 3]', "{'p': 1}"),
);

const join = (...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((all) => all.join(''));
const word = fc.constant<string>;

const { condition } = fc.letrec<{ condition: string; sum: string; count: string; body: string }>((tie) => ({
  sum: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    number,
    join(word('('), tie('sum'), fc.constantFrom(' + ', ' - ', ' * '), tie('sum'), word(')')),
    // Infinity is an error here.
    join(word('('), tie('sum'), word(' / '), fc.constantFrom('1.5', '-2.0', 'args.a', '3'), word(')')),
    join(word('-'), number),
    join(word('double('), integer, word(')')),
  ),
  count: fc.oneof(
    { depthSize: 'small' },
    integer,
    join(word('('), tie('count'), fc.constantFrom(' + ', ' - ', ' * ', ' / ', ' % '), tie('count'), word(')')),
  ),
  body: fc.oneof(
    join(word('e'), fc.constantFrom(' > ', ' == ', ' != ', ' <= '), number),
    join(word('e == '), text),
    fc.constantFrom('e.p == 1', 'e.q == "z" || e.p > 1', 'e.startsWith("h")', 'e in args.l', 'size(e) > 1'),
  ),
  condition: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    join(tie('sum'), fc.constantFrom(' < ', ' <= ', ' > ', ' >= ', ' == ', ' != '), tie('sum')),
    join(tie('count'), fc.constantFrom(' < ', ' <= ', ' > ', ' >= ', ' == '), tie('count')),
    join(any, fc.constantFrom(' == ', ' != ', ' in '), any),
    join(text, fc.constantFrom('.startsWith(', '.endsWith(', '.contains('), text, word(')')),
    join(text, fc.constantFrom(' < ', ' >= ', ' == '), text),
    join(
      fc.constantFrom('args.l', 'args.texts', 'args.objects', 'args.o', 'args.n', '[1, 2]'),
      fc.constantFrom('.all(e, ', '.exists(e, ', '.exists_one(e, '),
      tie('body'),
      word(')'),
    ),
    join(
      word('args.objects'),
      fc.constantFrom('.all(e, ', '.exists_one(e, '),
      fc.constantFrom('has(e.p)', 'has(e.p) && e.p == 1', 'has(e.q)'),
      word(')'),
    ),
    join(
      word('size('),
      fc.constantFrom('args.l', 'args.texts', 'args.objects'),
      word('.filter(e, '),
      tie('body'),
      word(')) > 1'),
    ),
    join(
      fc.constantFrom('args.l', 'args.objects', 'args.texts'),
      fc.constantFrom('.map(e, e)', '.map(e, e == args.a)', '.map(e, e != null, e)'),
      word(' == '),
      any,
    ),
    fc.constantFrom(
      'has(args.a)',
      'has(args.missing)',
      'has(args.o.q.r)',
      'has(args.missing.x)',
      'args.y',
      'args.o.q.r',
      'args.a',
    ),
    join(word('!('), tie('condition'), word(')')),
    join(word('('), tie('condition'), fc.constantFrom(' && ', ' || '), tie('condition'), word(')')),
    join(word('('), tie('condition'), word(' ? '), tie('condition'), word(' : '), tie('condition'), word(')')),
  ),
}));

const environment = celEnv();

/**
 * Ours, and the text in standard CEL; `null` where the dialect refuses it. Not compared is `has(e.p)` of a value that is
 * not an object: an error here, false there.
 */
function ours(expression: string): { readonly result: unknown; readonly text: string } | null {
  const compiled = compileCel(expression, {
    variables: { args: { kind: 'json' } },
    ports: PORTS,
    presence: false,
    condition: false,
  });
  if ('problem' in compiled) return null;
  const result = compiled.program.value({ values: { args: ARGS }, offsets: {} });
  return { result: typeof result === 'boolean' ? result : 'error', text: compiled.program.text };
}

function theirs(text: string): unknown {
  const result = plan(environment, parse(text))({ args: ARGS });
  // It gives `!!x` the value of `x`, of any type.
  return isCelError(result) || typeof result !== 'boolean' ? 'error' : result;
}

test('random expressions have the value that another implementation gives them', () => {
  let judged = 0;
  let errors = 0;
  fc.assert(
    fc.property(condition, (expression) => {
      const own = ours(expression);
      if (own === null) return;
      judged += 1;
      if (own.result === 'error') errors += 1;
      expect([expression, own.text, own.result]).toEqual([expression, own.text, theirs(own.text)]);
    }),
    { numRuns: runs(10_000) },
  );
  expect(judged).toBeGreaterThan(runs(7000));
  expect(errors).toBeGreaterThan(runs(500));
});

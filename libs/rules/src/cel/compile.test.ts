import { problemOf, programOf, run } from '../rules.test-kit.js';

describe('refused expressions', () => {
  test.each([
    ['an unknown variable', 'agnt.id == "a"', 'unknown_variable', 0, 'agent.id == "a"'],
    ['an unknown member', 'agent.idd == "a"', 'unknown_member', 0, 'agent.id == "a"'],
    ['an undeclared fact', '!facts.secret_raed', 'unknown_member', 1, '!facts.secret_read'],
    ['an unknown function', 'args.a.startWith("x")', 'unknown_function', 0, 'startsWith'],
    ['a pattern from the action', '"x".matches(agent.id)', 'pattern', 12, null],
    ['an invalid pattern', 'agent.id.matches("(?=a)")', 'pattern', 17, null],
    ['a back reference', "agent.id.matches('(a)\\\\1')", 'pattern', 17, null],
    [
      'a time zone of the host',
      "request.time.getHours('Europe/Berlin') > 3",
      'unknown_function',
      0,
      "hours(request.time, 'Europe/Berlin', 'mon-fri', '07:00-19:00')",
    ],
    [
      'a remainder of a JSON number',
      'has(args.n) && args.n % 2 == 0',
      'type',
      15,
      'has(args.n) && int(args.n) % 2 == 0',
    ],
    [
      'an integer added to a JSON number',
      'has(args.n) && size(agent.id) + args.n > 3',
      'type',
      15,
      'has(args.n) && double(size(agent.id)) + args.n > 3',
    ],
    ['a text compared with a number', 'agent.id > 3', 'type', 0, null],
    ['a value that is not a condition', 'agent.id', 'not_bool', 0, null],
    ['a loop in a loop', '[1].all(x, [2].exists(y, x == y))', 'too_deep', 11, null],
    ['a function called as a method', 'agent.id.lower() == "a"', 'syntax', 0, 'lower(agent.id) == "a"'],
    ['a syntax error', 'agent.id ==', 'syntax', 11, null],
    ['bytes', "b'a' == b'a'", 'syntax', 0, null],
    ['a record as a whole', 'facts == {}', 'type', 0, null],
    ['an entry that is no domain', "domain_in(agent.id, ['a b'])", 'pattern', 20, null],
  ])('%s', (_, text, code, start, proposal) => {
    expect(problemOf(text)).toMatchObject({ code, range: { start }, proposal });
  });

  test('more than 1,024 characters, 200 parts, or 32 levels', () => {
    expect(problemOf(`agent.id == "${'x'.repeat(1020)}"`)).toMatchObject({ code: 'too_long' });
    expect(problemOf(Array.from({ length: 101 }, () => 'true').join('||'))).toMatchObject({ code: 'too_deep' });
    expect(problemOf(`${'('.repeat(40)}true${')'.repeat(40)}`)).toMatchObject({ code: 'too_deep' });
  });

  test('an estimate of the cost that is too high', () => {
    expect(problemOf('args.a.all(x, args.b.contains(x))', { presence: false })).toBeNull();
    expect(problemOf("args.a.all(x, x.matches('a') || x in args.b)", { presence: false })).toMatchObject({
      code: 'too_costly',
    });
  });
});

describe('members that may be absent', () => {
  test.each([
    ['args.amount <= 100', 'has(args.amount) && args.amount <= 100'],
    ['args.a == 1 || agent.id == "x"', '(has(args.a) && args.a == 1) || agent.id == "x"'],
    ['has(args.a) || args.a == 1', 'has(args.a) || (has(args.a) && args.a == 1)'],
    ['args.a.b == 1', 'has(args.a) && has(args.a.b) && args.a.b == 1'],
    ["args['x-y'] == 1", "'x-y' in args && args['x-y'] == 1"],
    ['!args.a.startsWith("x")', '!(has(args.a) && args.a.startsWith("x"))'],
    ['has(args.l) && args.l.all(i, i.p < 3)', 'has(args.l) && args.l.all(i, (has(i.p) && i.p < 3))'],
    ['(args.a + 1) * 2 > 3', 'has(args.a) && (args.a + 1) * 2 > 3'],
    ['action.url == "x"', 'has(action.url) && action.url == "x"'],
    ['args.a == args.b', 'has(args.a) && has(args.b) && args.a == args.b'],
  ])('%s', (text, corrected) => {
    const problem = problemOf(text);
    expect(problem).toMatchObject({ code: 'may_be_absent', proposal: corrected });
    expect(problemOf(corrected)).toBeNull();
  });

  test.each([
    'has(args.a) && args.a == 1',
    '!has(args.a) || args.a == 1',
    'has(args.a) ? args.a == 1 : false',
    'has(args.a) && has(args.a.b) && args.a.b == 1',
    "'a' in args && args.a == 1",
    'has(args.a) && (args.a == 1 || args.a == 2)',
    '!(!has(args.a) || args.a == 1)',
    'action.type == "http_call" && agent.id != ""',
    'has(args.l) && args.l.filter(i, has(i.p)).all(i, has(i.p) && i.p < 3)',
  ])('%s is accepted', (text) => {
    expect(problemOf(text)).toBeNull();
  });
});

describe('numbers of JSON', () => {
  test.each([
    ['args.amount <= 100', { amount: 99.5 }, true],
    ['args.amount <= 100', { amount: 101 }, false],
    ['args.amount + 1 <= 100', { amount: 99 }, true],
    ['2 * (args.amount - 1) == 196', { amount: 99 }, true],
    ['args.amount / 2 == 1.5', { amount: 3 }, true],
    ['args.amount in [1, 2]', { amount: 2 }, true],
    ['size(args.l) <= 2', { l: [1, 2] }, true],
    ['args.amount < 9007199254740993', { amount: 2 ** 53 - 1 }, true],
    ['args.amount <= 100', { amount: 2 ** 53 }, 'number_too_large'],
    ['args.amount == 100', { amount: -1e300 }, 'number_too_large'],
    ['args.amount + 1 > 0', { amount: 2 ** 53 + 2 }, 'number_too_large'],
    ['int(args.amount) > 0', { amount: 2 ** 53 }, 'number_too_large'],
    ['args.amount * args.amount > 0', { amount: 2 ** 40 }, 'number_too_large'],
    ['args.amount <= 100', { amount: '99' }, 'wrong_type'],
    ['args.amount <= 100', { amount: null }, 'wrong_type'],
    ['args.amount <= 100', {}, 'absent'],
    ['args.l[1] == 2', { l: [1, 2] }, true],
    ['args.l[5] == 2', { l: [1, 2] }, 'absent'],
    ['decimal(args.amount) <= decimal("100.10")', { amount: '100.1' }, true],
    ['decimal(args.amount) + decimal(0.2) == decimal("0.3")', { amount: 0.1 }, true],
  ])('%s of %j is %s', (text, args, result) => {
    expect(run(text, args)).toBe(result);
  });

  test('are written as doubles in standard CEL', () => {
    expect(programOf('args.a + 1 <= 100 && -2 * args.b > (0x10 + args.c)').text).toBe(
      'args.a + 1.0 <= 100 && -2.0 * args.b > (double(0x10) + args.c)',
    );
  });
});

test('reads, zones, and the results of clauses', () => {
  const program = programOf(
    "has(args.a) && (args.a > 3 || args.b[0].c == 1) && !hours(request.time, 'UTC', 'daily', '00:00-24:00')",
  );
  expect(program.reads).toEqual(['args.a', 'args.b[].c', 'request.time']);
  expect(program.zones).toEqual(['UTC']);
  expect(program.explain({ values: { args: { a: 1, b: [] } }, offsets: {} })).toEqual([
    { text: 'has(args.a)', result: true },
    { text: 'args.a > 3', result: false },
    { text: 'args.b[0].c == 1', result: 'error' },
    { text: "!hours(request.time, 'UTC', 'daily', '00:00-24:00')", result: 'error' },
  ]);
  expect(program.explain({ values: { args: {} }, offsets: {} }).map(({ result }) => result)).toEqual([
    false,
    ...['not_reached', 'not_reached', 'not_reached'],
  ]);
});

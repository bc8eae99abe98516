import { renameFacts } from '../index.js';

const RENAMED = new Map([['a', 'a_2']]);

test.each([
  ['facts.a && !facts.b', 'facts.a_2 && !facts.b'],
  ['facts["a"] || facts . a', 'facts.a_2 || facts.a_2'],
  ["facts['\\x61']", 'facts.a_2'],
  ['has(facts.a) && args.facts.a', 'has(facts.a_2) && args.facts.a'],
  ['args.s == \'facts.a\' && """it\'s facts.a""" != r\'facts.a\'', null],
  ['args.l.all(x, x == facts.a)', 'args.l.all(x, x == facts.a_2)'],
  ['facts.ab', null],
  ['facts.a &&', null],
])('%s', (text, expected) => {
  expect(renameFacts(text, RENAMED)).toBe(expected ?? text);
});

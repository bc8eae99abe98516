import { isRecent } from './connection.js';

it.each([
  ['3.53.2', true],
  ['3.51.3', true],
  ['3.51.2', false],
  ['3.50.9', false],
  ['4.0.0', true],
  ['2.60.0', false],
])('SQLite %s may checkpoint concurrently with commits: %s', (version, recent) => {
  expect(isRecent(version)).toBe(recent);
});

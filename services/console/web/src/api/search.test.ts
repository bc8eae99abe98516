import { askedOf } from './search.js';

it('of a text that has an API key, wherever it stands, the public beginning of the key alone is asked', () => {
  const key = `csn_live_${'abcdefg'}${'S3cret'.repeat(6)}`;
  for (const text of [key, `x-service-key: ${key}`, `curl -H 'x-service-key: ${key}'`, `KEY="${key}"`]) {
    expect(askedOf(text)).toBe('csn_live_abcdefg');
  }
  expect(askedOf('csn_live_ab')).toBe('csn_live_ab');
  for (const text of ['first agent', 'csn_', '']) expect(askedOf(text)).toBe(text);
});

import { changesOf, entriesOf, readFields } from './draft.js';

describe('a draft of a profile', () => {
  it('becomes the fields in which it differs, with null for those that it leaves out', () => {
    const base = { mode: 'enforce', blocked_apis: ['a'], rules: [{ id: 'r', effect: 'deny' }], rate_limit: null };
    expect(changesOf(base, { ...base })).toEqual({});
    expect(changesOf(base, { ...base, rules: [{ effect: 'deny', id: 'r' }] })).toEqual({});
    const { rules: _rules, ...without } = base;
    expect(changesOf(base, { ...without, blocked_apis: ['a', 'b'] })).toEqual({
      rules: null,
      blocked_apis: ['a', 'b'],
    });
    const { rate_limit: _rate, ...unset } = base;
    expect(changesOf(base, unset)).toEqual({});
    expect(changesOf(base, { ...base, limits: [] })).toEqual({ limits: [] });
  });

  it('is read from JSON as an object alone', () => {
    expect(readFields('{"mode":"observe"}', 'no')).toEqual({ mode: 'observe' });
    for (const text of ['[]', 'null', '1', '"a"']) expect(readFields(text, 'no')).toBe('no');
    expect(typeof readFields('{', 'no')).toBe('string');
  });

  it('takes one entry of a list from each line', () => {
    expect(entriesOf(' a.example \n\n*.b.example\r\n')).toEqual(['a.example', '*.b.example']);
  });
});

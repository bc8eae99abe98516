import { changesOf, entriesOf, onto, readFields, threeWay } from './draft.js';

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

  it('keeps on the saved version what was changed since it was sent', () => {
    const sent = { mode: 'enforce', blocked_apis: ['a'], rate_limit: 5 };
    const saved = { ...sent, limits: [] };
    expect(onto(saved, sent, sent)).toEqual(saved);
    expect(onto(saved, sent, { mode: 'enforce', blocked_apis: ['a', 'b'] })).toEqual({
      ...saved,
      blocked_apis: ['a', 'b'],
      rate_limit: null,
    });
  });

  it('is read from JSON as an object alone', () => {
    const read = (text: string) => readFields(text, JSON.parse, 'no');
    expect(read('{"mode":"observe"}')).toEqual({ mode: 'observe' });
    for (const text of ['[]', 'null', '1', '"a"']) expect(read(text)).toBe('no');
    expect(read('{')).not.toBe('no');
    expect(typeof read('{')).toBe('string');
  });

  it('is compared with the version in force, where that has changed meanwhile', () => {
    const base = { mode: 'observe', blocked_apis: ['a'], limits: null, store_payload: false };
    const theirs = { ...base, mode: 'enforce', blocked_apis: ['a', 'b'] };
    const mine = { ...base, blocked_apis: ['c'], store_payload: true };
    expect(threeWay(base, theirs, mine)).toEqual([
      { name: 'mode', base: 'observe', theirs: 'enforce', mine: 'observe', isConflict: false },
      { name: 'blocked_apis', base: ['a'], theirs: ['a', 'b'], mine: ['c'], isConflict: true },
      { name: 'store_payload', base: false, theirs: false, mine: true, isConflict: false },
    ]);
    expect(threeWay(base, theirs, { ...base, mode: 'enforce' })[0]).toMatchObject({ isConflict: false });
  });

  it('takes one entry of a list from each line', () => {
    expect(entriesOf(' a.example \n\n*.b.example\r\n')).toEqual(['a.example', '*.b.example']);
  });
});

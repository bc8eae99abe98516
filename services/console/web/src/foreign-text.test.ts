import { jsonText, shownText } from './foreign-text.js';

describe('foreign text', () => {
  it.each([
    ['an override of direction', 'invoice\u202Efdp.exe', 'invoice⟨U+202E⟩fdp.exe'],
    ['an isolate', '\u2066a\u2069', '⟨U+2066⟩a⟨U+2069⟩'],
    ['zero-width characters', 'pay\u200Bpal\u2060\uFEFF', 'pay⟨U+200B⟩pal⟨U+2060⟩⟨U+FEFF⟩'],
    ['a soft hyphen', 'a\u00ADb', 'a⟨U+00AD⟩b'],
    ['controls', 'a\u0000\u001b[31m\u0085', 'a⟨U+0000⟩⟨U+001B⟩[31m⟨U+0085⟩'],
    ['line separators', 'a\u2028b\u2029', 'a⟨U+2028⟩b⟨U+2029⟩'],
    ['tags', 'a\u{E0041}\u{E007F}', 'a⟨U+E0041⟩⟨U+E007F⟩'],
    ['markup', '<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
    ['lines and tabs', 'a\n\tb', 'a\n\tb'],
    ['letters of other scripts', 'שלום عربى Ünïcode 日本', 'שלום عربى Ünïcode 日本'],
  ])('shows %s', (_what, original, text) => {
    expect(shownText(original)).toEqual({ text, cutFrom: null });
  });

  it('keeps the joiner of an emoji, and shows a joiner anywhere else', () => {
    const family = '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}';
    expect(shownText(family).text).toBe(family);
    expect(shownText('a\u200Db').text).toBe('a⟨U+200D⟩b');
    expect(shownText('\u{1F468}\u200D').text).toBe('\u{1F468}⟨U+200D⟩');
    expect(shownText('a\u200D\u{1F468}').text).toBe('a⟨U+200D⟩\u{1F468}');
  });

  it('cuts by characters, never within one, and says how long the original is', () => {
    expect(shownText('\u{1F600}'.repeat(5), 3)).toEqual({ text: '\u{1F600}'.repeat(3), cutFrom: 10 });
    expect(shownText('abc', 3)).toEqual({ text: 'abc', cutFrom: null });
    const { text, cutFrom } = shownText('x'.repeat(300_000));
    expect([text.length, cutFrom]).toEqual([2000, 300_000]);
  });
});

describe('JSON as text', () => {
  it('is indented, quotes its strings, and reads members of any name as data', () => {
    const value: unknown = JSON.parse('{"a":[1,"b\\n"],"__proto__":{"x":null},"empty":{}}');
    expect(jsonText(value)).toBe(
      '{\n  "a": [\n    1,\n    "b\\n"\n  ],\n  "__proto__": {\n    "x": null\n  },\n  "empty": {}\n}',
    );
  });

  it('ends at its depth', () => {
    expect(jsonText({ a: { b: { c: 1 } } }, 2)).toBe('{\n  "a": {\n    "b": { … 1 }\n  }\n}');
    let deep: unknown = 0;
    for (let n = 0; n < 32; n += 1) deep = [deep];
    expect(jsonText(deep).split('\n').length).toBe(13);
  });
});

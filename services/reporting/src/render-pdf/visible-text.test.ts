import fc from 'fast-check';
import { visibleText } from './visible-text.js';

const all = (): boolean => true;

describe('a customer’s text in the document', () => {
  it.each([
    ['plain words & <tags>', 'plain words & <tags>'],
    ['Überweisung Агент Ωmega', 'Überweisung Агент Ωmega'],
    ['u\u0308ber', 'über'],
    ['safe\u202etxt.exe', 'safe⟨U+202E⟩txt.exe'],
    ['a\nb\tc\u0000', 'a⟨U+000A⟩b⟨U+0009⟩c⟨U+0000⟩'],
    ['支付', '⟨U+652F⟩⟨U+4ED8⟩'],
    ['دفع', '⟨U+062F⟩⟨U+0641⟩⟨U+0639⟩'],
    ['x\u200by\u00a0z', 'x⟨U+200B⟩y⟨U+00A0⟩z'],
    ['q\u0303', 'q⟨U+0303⟩'],
    ['\ud800', '⟨U+D800⟩'],
  ])('shows %j as %j', (text, shown) => {
    expect(visibleText(text, 100, all)).toBe(shown);
  });

  it('shows the code point of a character that the font lacks', () => {
    expect(visibleText('a€b', 100, (code) => code !== 0x20ac)).toBe('a⟨U+20AC⟩b');
  });

  it('cuts a long text and appends the number of omitted characters', () => {
    expect(visibleText('abcdef', 4, all)).toBe('abcd … (2 more characters)');
    expect(visibleText('ééééé', 4, all)).toBe('éééé … (1 more characters)');
  });

  it('removes invisible and control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(visibleText(text, 1000, all)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});

import fc from 'fast-check';
import { cefEvent } from './cef-event.js';
import { ACCOUNT, AGENT, checked, denied, eventId, other } from './testing/events.js';

/** Reads a record as the format says: seven parts before the extension, then `key=value` with escapes. */
function parse(record: string): {
  readonly head: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
} {
  const head: string[] = [''];
  let at = 0;
  for (; head.length < 8; at += 1) {
    const char = record[at]!;
    if (char === '\\') head[head.length - 1] += record[(at += 1)]!;
    else if (char === '|') head.push('');
    else head[head.length - 1] += char;
  }
  const extension = record.slice(at);
  const starts = [...extension.matchAll(/(?:^| )([A-Za-z0-9]+)=/g)].filter(({ index }) => {
    const before = /\\*$/.exec(extension.slice(0, index))![0];
    return before.length % 2 === 0;
  });
  const fields = starts.map(({ 0: text, 1: name, index }, n): [string, string] => {
    const value = extension.slice(index + text.length, starts[n + 1]?.index);
    const plain = value.replace(/\\(.)/g, (_all, c: string) => (c === 'n' ? '\n' : c === 'r' ? '\r' : c));
    return [name!, plain];
  });
  return { head: head.slice(0, 7), fields: Object.fromEntries(fields) };
}

describe('CEF events', () => {
  it('say what was decided, with the id of the event as its key', () => {
    const { head, fields } = parse(cefEvent(denied(7), ACCOUNT));
    expect(head).toEqual(['CEF:0', 'Countersign', 'Countersign', '1', 'action.checked', 'Authorization check', '6']);
    expect(fields).toMatchObject({
      rt: '1772357400007',
      externalId: eventId(7),
      act: 'denied',
      outcome: 'refused',
      suid: AGENT,
      reason: 'The API is not on the allow list.',
      cn1: '7',
      cs1: ACCOUNT,
      cs1Label: 'account',
      cs2: 'api_not_allowed',
      cs3: 'allowed_apis:',
    });
  });

  it('escape what would end a field, the header or the line', () => {
    const text = 'a|b\\c=d\ne\r\u0000\u2028f cs1=forged';
    const record = cefEvent(other(1, 'later|type\\\n', { reason: text, detail: text }), ACCOUNT);
    expect(record).not.toMatch(/[\u0000-\u001f\u2028]/);
    const { head, fields } = parse(record);
    expect(head[4]).toBe('later|type\\ ');
    expect(fields).toMatchObject({ reason: 'a|b\\c=d\ne\r  f cs1=forged', cs1: ACCOUNT });
  });

  it('come back from a reader whatever their texts are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (reason, rule) => {
        const { fields } = parse(cefEvent(checked(1, { reason, rule }), ACCOUNT));
        // What is no line end that CEF can write is a blank.
        expect(fields['reason']).toBe(
          reason.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]/g, (c) => (/[\r\n]/.test(c) ? c : ' ')),
        );
        expect(fields['cs3']).toBe(rule);
      }),
    );
  });

  it('cut what is longer than a field may be', () => {
    const { fields } = parse(
      cefEvent(checked(1, { reason: `${'a'.repeat(1022)}😀`, detail: 'b'.repeat(5000) }), ACCOUNT),
    );
    expect(fields['reason']).toBe('a'.repeat(1022));
    expect(fields['cs4']).toHaveLength(4000);
  });
});

import { createCipheriv } from 'node:crypto';
import { OVERLAP, PIECE, piecesOf, SCHEMA_BOUNDS, textOfMessage } from './result-texts.js';

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');

describe('the text of a result', () => {
  it('is everything that a model may read, with member names', () => {
    const result = {
      content: [
        { type: 'text', text: 'one\n"two"' },
        { type: 'resource', resource: { uri: 'file:///three', text: 'four' } },
        { type: 'image', mimeType: 'image/png', data: base64('\x89PNG\x00\xff') },
        { type: 'image', data: base64('five in an image') },
        { type: 'resource', resource: { uri: 'u', blob: base64('six in a blob') } },
        { type: 'audio', data: 'seven is not base64' },
      ],
      structuredContent: {
        password: 'eight',
        n: 4111111111111111,
        'key@nine.example': { type: 'image', data: 'AKIATEN0' },
      },
      _meta: { x: ['eleven'] },
    };
    const text = textOfMessage({ jsonrpc: '2.0', id: 'own', result });
    for (const part of [
      'one\n"two"',
      'file:///three',
      'four',
      'five in an image',
      'six in a blob',
      'seven is not base64',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).toContain('password: eight');
    expect(text).toContain('n: 4111111111111111');
    expect(text).toMatch(/key@nine\.example\n.*\nAKIATEN0|key@nine\.example\nimage\nAKIATEN0/u);
    expect(text).toContain('eleven');
    expect(text).not.toContain('PNG');
  });

  it('covers errors, and invalid results', () => {
    const error = { code: -1, message: 'no such file', data: { path: 'p' } };
    expect(textOfMessage({ id: 1, error })).toBe('-1\nno such file\npath: p');
    const texts = ['a', null, {}].map((result) => textOfMessage({ id: 1, result }));
    expect(texts).toEqual(['a', '', '']);
  });

  it('covers other members of a message', () => {
    const message = { jsonrpc: 'one', id: 1, result: { a: 'two' }, extra: { b: ['three'] } };
    expect(textOfMessage(message)).toBe('jsonrpc: one\na: two\nextra\nb\nthree');
    const asked = { jsonrpc: '2.0', id: 'one', method: 'vendor/two', params: { a: 3 } };
    expect(textOfMessage(asked)).toBe('id: one\nmethod: vendor/two\na: 3');
    const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    expect(textOfMessage(changed)).toBe('');
  });

  it('omits the bounds of a schema, if requested', () => {
    const result = { maximum: 4294967295, minimum: 'one', maxLength: { a: 2 }, other: 3 };
    expect(textOfMessage({ id: 1, result }, SCHEMA_BOUNDS)).toBe('minimum: one\nmaxLength\na: 2\nother: 3');
    expect(textOfMessage({ id: 1, result })).toContain('maximum: 4294967295');
  });

  it('covers the content of resources, prompts and sampling requests', () => {
    const blob = base64('five in a blob');
    const image = { type: 'image', data: base64('six in an image') };
    expect(textOfMessage({ id: 1, result: { contents: [{ uri: 'u', blob }] } })).toContain('five in a blob');
    const messages = [
      { role: 'user', content: image },
      { role: 'user', content: [{ type: 'tool_result', content: [image] }] },
    ];
    expect(textOfMessage({ id: 1, result: { messages } }).split('six in an image')).toHaveLength(3);
    expect(textOfMessage({ id: 1, method: 'sampling/createMessage', params: { messages } })).toContain('six in an');
  });

  it.each([
    ['a byte that is not text', base64('\xff a secret\xff')],
    ['a line break', base64(' a secret').replace('s', 's\n')],
    ['characters that some readers skip', `*${base64(' a secret')}`],
  ])('covers base64 with %s', (_, data) => {
    expect(textOfMessage({ id: 1, result: { content: [{ type: 'image', data }] } })).toContain('a secret');
  });

  it('omits random runs in the bytes of a picture, and covers long runs of text between them', () => {
    const bytes = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(1 << 18));
    const textIn = (data: Buffer): string =>
      textOfMessage({ id: 1, result: { content: { type: 'image', data: data.toString('base64') } } });
    expect(textIn(bytes)).toBe('image\n');
    const written = 'card 4111 1111 1111 1111 of one';
    expect(textIn(Buffer.concat([bytes, Buffer.from(`\0${written}\0`), bytes]))).toBe(`image\n${written}`);
  });

  it('is all of a mostly textual content, also in another encoding than UTF-8', () => {
    const data = base64('M\xfcller pays by card, 4111\xa01111\xa01111\xa01111');
    const text = textOfMessage({ id: 1, result: { content: { type: 'image', data } } });
    expect(text).toBe('image\nM ller pays by card, 4111 1111 1111 1111');
  });

  it('is split into overlapping pieces that are well-formed text', () => {
    expect(piecesOf('')).toEqual(['']);
    expect(piecesOf('a\ud800')).toEqual(['a\ufffd']);
    expect(piecesOf('a'.repeat(PIECE))).toHaveLength(1);
    const text = '0123456789'.repeat((3 * PIECE) / 10);
    const pieces = piecesOf(text);
    expect(pieces.every((piece) => piece.length <= PIECE)).toBe(true);
    expect(pieces.map((piece, n) => (n === 0 ? piece : piece.slice(OVERLAP))).join('')).toBe(text);
    for (const piece of piecesOf('😀'.repeat(PIECE))) {
      expect(Buffer.byteLength(piece)).toBeLessThan(256 * 1024);
      expect(piece).not.toMatch(/\p{Surrogate}/u);
    }
  });
});

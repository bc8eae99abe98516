import { conditional, jsonRepresentation } from './conditional.js';

const value = { keys: ['ü'], n: 1 };
const answer = jsonRepresentation(value, 'public, max-age=60');

describe('an answer that a caller may have already', () => {
  it('is the same tag for the same bytes, and another for others', () => {
    expect(jsonRepresentation({ ...value }, '').etag).toBe(answer.etag);
    expect(jsonRepresentation({ ...value, n: 2 }, '').etag).not.toBe(answer.etag);
    expect(answer.etag).toMatch(/^"[\w-]{27}"$/);
  });

  it.each([
    ['none', undefined],
    ['another tag', '"x"'],
    ['the tag without its quotes', answer.etag.slice(1, -1)],
    ['the tag in another case', answer.etag.toUpperCase() === answer.etag ? '"x"' : answer.etag.toUpperCase()],
    ['something that is no tag', '"'],
    ['an empty header', ''],
    ['a star among tags', '"a", *'],
  ])('comes whole where the header names %s', async (_what, header) => {
    const whole = await conditional(answer, header);
    expect(whole.status).toBe(200);
    expect(whole.content).toMatchObject({ kind: 'text', content: JSON.stringify(value) });
    expect(whole.headers).toEqual({ etag: answer.etag, 'cache-control': 'public, max-age=60' });
  });

  it.each([
    ['the tag', answer.etag],
    ['the tag as a weak one', `W/${answer.etag}`],
    ['the tag among others', `"a, b",W/"c" , ${answer.etag}`],
    ['any', ' * '],
  ])('is 304, unread, where the header names %s', async (_what, header) => {
    const read = (): never => {
      throw new Error('it was read');
    };
    const known = await conditional({ ...answer, read }, header);
    expect(known.status).toBe(304);
    expect(known.content).toEqual({ kind: 'empty' });
    expect(known.headers).toEqual({ etag: answer.etag, 'cache-control': 'public, max-age=60' });
  });
});

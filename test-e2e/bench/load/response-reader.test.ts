import { ResponseReader } from './response-reader.js';

const ANSWERS = [
  'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello',
  'HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 503 Service Unavailable\r\nx-content-length: 7\r\ncontent-length:  12\r\n\r\n\r\n\r\nHTTP/1.1',
].join('');

function statuses(...chunks: readonly string[]): number[] {
  const seen: number[] = [];
  const reader = new ResponseReader((status) => seen.push(status));
  for (const chunk of chunks) reader.take(Buffer.from(chunk, 'latin1'));
  return seen;
}

describe('ResponseReader', () => {
  it('reads several answers in one chunk', () => {
    expect(statuses(ANSWERS)).toEqual([200, 204, 503]);
  });

  it('reads answers split anywhere', () => {
    for (let cut = 1; cut < ANSWERS.length; cut += 1) {
      expect(statuses(ANSWERS.slice(0, cut), ANSWERS.slice(cut))).toEqual([200, 204, 503]);
    }
    expect(statuses(...ANSWERS)).toEqual([200, 204, 503]);
  });

  it('reports an answer only when it is complete', () => {
    expect(statuses(ANSWERS.slice(0, -1))).toEqual([200, 204]);
  });

  it('refuses input that is not an answer or has no length', () => {
    expect(() => statuses('SMTP ready\r\n\r\n')).toThrow('no status line');
    expect(() => statuses('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n')).toThrow('without content-length');
  });
});

import { Lines } from './lines.js';

describe('lines of a stream', () => {
  it('are the same for every chunking', () => {
    const text = '{"a":"ü€😀"}\r\n\n  \n{"b":1}\n{"c":2}\nrest';
    const bytes = Buffer.from(text);
    for (let size = 1; size <= bytes.length; size += 1) {
      const lines = new Lines();
      const found: string[] = [];
      for (let at = 0; at < bytes.length; at += size) found.push(...lines.add(bytes.subarray(at, at + size)));
      expect(found).toEqual(['{"a":"ü€😀"}', '{"b":1}', '{"c":2}']);
    }
  });

  it('have a maximum length', () => {
    const lines = new Lines(10);
    expect(lines.add(Buffer.from('0123456789\n01234'))).toEqual(['0123456789']);
    expect(() => lines.add(Buffer.from('567890'))).toThrow(/longer than 10/u);
  });
});

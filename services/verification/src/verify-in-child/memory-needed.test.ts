import { memoryNeeded } from './memory-needed.js';

const MEBIBYTE = 1024 * 1024;
const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');

describe('the memory that JSON text needs once parsed', () => {
  it('is little more than its length where it is text', () => {
    const text = JSON.stringify({ a: 'x'.repeat(MEBIBYTE), b: '[{:,}]'.repeat(1000), c: '"\\"{'.repeat(1000) });
    expect(memoryNeeded(bytes(text))).toBeLessThan(text.length + 1000);
  });

  it.each(['{}', '[]', '{"a":1}', '{"a":{"b":[]}}', '[[[]]]', '0.1'])(
    'is not less than what parsing takes: %s',
    (unit) => {
      const text = `[${Array.from({ length: 200_000 }, () => unit).join(',')}]`;
      const before = process.memoryUsage().heapUsed;
      const value = JSON.parse(text) as unknown[];
      const taken = process.memoryUsage().heapUsed - before;
      expect(value).toHaveLength(200_000);
      expect(memoryNeeded(bytes(text)) * 1.5).toBeGreaterThan(taken);
    },
  );

  it('distinguishes a hostile body from the densest package that is issued', () => {
    const hostile = memoryNeeded(bytes('{},'.repeat(MEBIBYTE)));
    expect(hostile / (3 * MEBIBYTE)).toBeGreaterThan(20);
    const control = {
      framework: 'soc2',
      controlId: 'CC7.2',
      title: 'Monitoring',
      relation: 'direct',
      status: 'Satisfied',
    };
    const issued = JSON.stringify(Array.from({ length: 1000 }, () => control));
    expect(memoryNeeded(bytes(issued)) / issued.length).toBeLessThan(6);
  });
});

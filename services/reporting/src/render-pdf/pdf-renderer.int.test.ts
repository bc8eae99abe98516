import { readFileSync } from 'node:fs';
import { HttpRefusal } from '@countersign/http-edge';
import { drawReport } from './draw-report.js';
import { PdfRenderer } from './pdf-renderer.js';

const file = new URL('../../../../libs/evidence/vectors/valid-small.json', import.meta.url);
const { package: content } = JSON.parse(readFileSync(file, 'utf8')) as { readonly package: object };
const bytes = Buffer.from(JSON.stringify(content));

const refusal = (drawing: Promise<unknown>): Promise<unknown> =>
  drawing.then(
    () => 'drawn',
    (error: unknown) => (error instanceof HttpRefusal ? error.status : (error as Error).message),
  );

describe('drawing aside', () => {
  it('gives the same file as in-process rendering, one document after another', async () => {
    const pieces: Uint8Array[] = [];
    await drawReport(bytes, (piece) => pieces.push(piece));
    const renderer = new PdfRenderer();
    const [first, second] = await Promise.all([
      renderer.draw('account', [bytes]),
      renderer.draw('account', [bytes.subarray(0, 100), bytes.subarray(100)]),
    ]);
    expect(first.equals(Buffer.concat(pieces))).toBe(true);
    expect(second.equals(first)).toBe(true);
    renderer.end();
  }, 120_000);

  it('fails for invalid input and when a limit is exceeded, and continues', async () => {
    const renderer = new PdfRenderer();
    expect(await refusal(renderer.draw('account', [Buffer.from('{}')]))).toContain('could not be drawn (1)');
    expect((await renderer.draw('account', [bytes])).subarray(0, 5).toString()).toBe('%PDF-');
    renderer.end();
    const brief = new PdfRenderer({ deadlineMs: 1 });
    expect(await refusal(brief.draw('account', [bytes]))).toContain('could not be drawn (SIGKILL)');
    brief.end();
    const small = new PdfRenderer({ heapMiB: 2 });
    expect(await refusal(small.draw('account', [bytes]))).toContain('could not be drawn');
    small.end();
  }, 120_000);

  it('refuses documents beyond the queue, and all once it ends', async () => {
    const renderer = new PdfRenderer({ waiting: 1 });
    const begun = [renderer.draw('account', [bytes]), renderer.draw('account', [bytes])].map(refusal);
    expect(await refusal(renderer.draw('account', [bytes]))).toBe(503);
    renderer.end();
    expect(await Promise.all(begun)).toEqual([503, 503]);
  }, 120_000);
});

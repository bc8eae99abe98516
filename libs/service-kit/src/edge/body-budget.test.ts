import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import type { Route } from '@countersign/contracts';
import { BodyBudget } from './body-budget.js';
import { readBody } from './read-body.js';

describe('BodyBudget', () => {
  it('is shared by all and given back once', () => {
    const budget = new BodyBudget(10);
    const one = budget.share();
    const other = budget.share();
    expect([one.take(6), other.take(5), other.take(4), one.take(1)]).toEqual([true, false, true, false]);
    one.giveBack();
    one.giveBack();
    expect(budget.free).toBe(6);
    expect(other.take(6)).toBe(true);
  });
});

describe('bodies under way', () => {
  const route = { method: 'POST', path: '/', body: {}, auth: 'none' } as unknown as Route;
  const MEBIBYTE = Buffer.alloc(1024 * 1024, ' ');
  const begin = (): { readonly stream: PassThrough; readonly body: Promise<unknown> } => {
    const stream = new PassThrough({ highWaterMark: 4 * MEBIBYTE.length });
    const body = readBody(Object.assign(stream, { headers: {} }) as unknown as IncomingMessage, route);
    stream.write(MEBIBYTE);
    return { stream, body };
  };
  const status = (body: Promise<unknown>): Promise<unknown> =>
    body.then(
      () => 200,
      (error: { status?: number }) => error.status ?? error,
    );

  it('are refused with 503 once they hold what all may hold, and taken again afterwards', async () => {
    const waiting = Array.from({ length: 127 }, begin);
    await new Promise((resolve) => setImmediate(resolve));
    await expect(status(begin().body)).resolves.toBe(503);
    for (const { stream } of waiting) stream.end();
    const ends = await Promise.all(waiting.map(({ body }) => status(body)));
    expect(new Set(ends)).toEqual(new Set([400]));
    const { stream, body } = begin();
    stream.end();
    await expect(status(body)).resolves.toBe(400);
  });

  it('give back what a caller held who went away', async () => {
    for (let i = 0; i < 200; i += 1) {
      const { stream, body } = begin();
      await new Promise((resolve) => setImmediate(resolve));
      stream.destroy();
      await status(body);
    }
    const { stream, body } = begin();
    stream.end();
    await expect(status(body)).resolves.toBe(400);
  });
});

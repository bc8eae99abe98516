import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import type { Route } from '@countersign/contracts';
import { BodyBudget } from './body-budget.js';
import { readBody } from './read-body.js';

describe('BodyBudget', () => {
  it('is shared by all and given back once', () => {
    const budget = new BodyBudget(10);
    const one = budget.share('one');
    const other = budget.share('other');
    expect([one.take(6), other.take(5), other.take(4), one.take(1)]).toEqual([true, false, true, false]);
    one.giveBack();
    one.giveBack();
    expect(budget.free).toBe(6);
    expect(other.take(6)).toBe(true);
  });

  it('leaves others theirs, whatever one holder keeps', () => {
    const budget = new BodyBudget(10, 4);
    const [first, second, other] = [budget.share('a'), budget.share('a'), budget.share('b')];
    expect([first.take(3), second.take(2), second.take(1), other.take(4)]).toEqual([true, false, true, true]);
    first.giveBack();
    expect([second.take(3), second.take(1)]).toEqual([true, false]);
    second.giveBack();
    other.giveBack();
    expect(budget.free).toBe(10);
  });
});

describe('bodies under way', () => {
  const route = { method: 'POST', path: '/', body: {}, auth: 'none' } as unknown as Route;
  const MEBIBYTE = Buffer.alloc(1024 * 1024, ' ');
  const begin = (holder: string): { readonly stream: PassThrough; readonly body: Promise<unknown> } => {
    const stream = new PassThrough({ highWaterMark: 4 * MEBIBYTE.length });
    const body = readBody(Object.assign(stream, { headers: {} }) as unknown as IncomingMessage, route, holder);
    stream.write(MEBIBYTE);
    return { stream, body };
  };
  const status = (body: Promise<unknown>): Promise<unknown> =>
    body.then(
      () => 200,
      (error: { status?: number }) => error.status ?? error,
    );

  it('are refused with 503 once they hold what all may hold, and taken again afterwards', async () => {
    const waiting = Array.from({ length: 31 }, () => begin('192.0.2.1'));
    await new Promise((resolve) => setImmediate(resolve));
    await expect(status(begin('192.0.2.1').body)).resolves.toBe(503);
    for (let n = 0; n < 96; n += 1) waiting.push(begin(`of ${n % 4}`));
    await new Promise((resolve) => setImmediate(resolve));
    await expect(status(begin('of 5').body)).resolves.toBe(503);
    for (const { stream } of waiting) stream.end();
    const ends = await Promise.all(waiting.map(({ body }) => status(body)));
    expect(new Set(ends)).toEqual(new Set([400]));
    const { stream, body } = begin('192.0.2.1');
    stream.end();
    await expect(status(body)).resolves.toBe(400);
  });

  it('give back what a caller held who went away', async () => {
    for (let i = 0; i < 200; i += 1) {
      const { stream, body } = begin('one');
      await new Promise((resolve) => setImmediate(resolve));
      stream.destroy();
      await status(body);
    }
    const { stream, body } = begin('one');
    stream.end();
    await expect(status(body)).resolves.toBe(400);
  });
});

import { everyRoute, type Route } from '@countersign/contracts';
import { definitionsOf } from './services.js';

const names = (routes: readonly Route[]): string[] => routes.map(({ method, path }) => `${method} ${path}`).sort();

describe('the services that can be started', () => {
  it('together have every route of the contract, each once', async () => {
    const all = await definitionsOf([]);
    expect(names(all.flatMap(({ routes }) => routes))).toEqual(names(everyRoute));
    expect(new Set(names(everyRoute)).size).toBe(everyRoute.length);
  });

  it('start by name', async () => {
    expect((await definitionsOf(['policy', 'identity'])).map(({ name }) => name)).toEqual(['policy', 'identity']);
  });

  it.each([[['billing']], [['policy', 'policy']]])('refuses %j, listing the available ones', async (wanted) => {
    await expect(definitionsOf(wanted)).rejects.toThrow(
      `${wanted[0]} is unknown or named twice: there are identity, policy`,
    );
  });
});

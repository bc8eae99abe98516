import { setTimeout as sleep } from 'node:timers/promises';
import type { AnchorPublisher } from '../publish/anchor-publisher.js';
import type { WindowCloser } from './window-closer.js';
import { WindowLoop } from './window-loop.js';

type Closed = Awaited<ReturnType<WindowCloser['closeNext']>>;

it('names what keeps windows from being closed until one is closed again, however many have gathered', async () => {
  let logAnswers = false;
  let next: (closed: Closed) => void = () => undefined;
  let closed = 0;
  const publisher = {
    async publishCuts() {
      if (!logAnswers) throw new Error('the log is away');
    },
  };
  const closer = {
    closeNext: () => new Promise<Closed>((resolve) => (next = resolve)),
    sweep: async () => undefined,
  };
  const loop = new WindowLoop(
    { log: { error: () => undefined } as never },
    publisher as unknown as AnchorPublisher,
    closer as unknown as WindowCloser,
    () => (closed += 1),
  );
  loop.poke();
  while (loop.problem() === null) await sleep(5);
  expect(loop.problem()).toBe('windows are not closed: the log is away');
  logAnswers = true;
  loop.poke();
  await sleep(20);
  expect(loop.problem()).not.toBeNull();
  next('the first of many' as unknown as Closed);
  while (closed === 0) await sleep(5);
  expect(loop.problem()).toBeNull();
  next(null);
  await loop.stop();
});

import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { InProcessCounters } from '@countersign/counters';
import type { EventLog } from '@countersign/event-log';
import { backendsOf } from './backends.js';

it('closeChain rejects requests to a node that never answers, and later ones', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const eventLog = { close: async () => undefined } as unknown as EventLog;
  const backends = backendsOf(eventLog, new InProcessCounters(), async () => [url]);
  const chain = await backends.chain();
  const asked = once(silent, 'request');
  const height = chain.blockHeight();
  await asked;
  const closed = { name: 'ChainUnavailable', message: expect.stringContaining('closed') as string };
  const ended = expect(height).rejects.toMatchObject(closed);
  await backends.closeChain();
  await ended;
  await expect(chain.blockHeight()).rejects.toMatchObject(closed);
  await backends.close();
  silent.closeAllConnections();
  silent.close();
});

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import { loadConfig } from '@countersign/process';
import type { ProcessView } from '@countersign/service-kit';
import { definition } from '../definition.js';
import { openInstallation, shared } from './installation.js';

const clock = (): number => Date.UTC(2026, 2, 1);

describe('the state of the installation', () => {
  const processView: ProcessView = async () => ({
    services: ['policy', 'gateway'],
    notReady: ['gateway: the log', 'gateway: the counters', 'the topic sessions is read'],
    samples: [{ name: 'countersign_anchor_windows_waiting', labels: {}, value: 4 }],
  });

  it('names each service of its process, and what it waits for', async () => {
    const read = openInstallation({ config: loadConfig({}), processView, clock })!;
    expect(await read()).toMatchObject({
      asOf: '2026-03-01T00:00:00.000Z',
      services: [
        { name: 'countersign', state: 'waiting', waitingFor: ['the topic sessions is read'], problem: null },
        { name: 'gateway', state: 'waiting', waitingFor: ['the log', 'the counters'], problem: null },
        { name: 'policy', state: 'ready', waitingFor: [], problem: null },
      ],
      windowsWaiting: 4,
      chainReachable: null,
    });
  });

  it('is read from the configured addresses, where there are any', async () => {
    const server = createServer((request, response) => {
      response.end(request.url === '/readyz' ? '{"ready":true}' : 'countersign_alert_messages_waiting 2\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const probes = [
      { name: 'alerts', url },
      { name: 'gone', url: 'http://127.0.0.1:1' },
    ];
    const config = { ...loadConfig({}), consoleOperations: { probes } };
    const state = await openInstallation({ config, processView, clock })!();
    server.close();
    expect(state.services.map(({ name, state: one }) => [name, one])).toEqual([
      ['alerts', 'ready'],
      ['gone', 'unknown'],
    ]);
    expect(state.alerts).toEqual({ waiting: 2, oldestDueSeconds: 0 });
  });

  it('is off as the variable says, and then its route is refused to everyone', async () => {
    const config = loadConfig({ COUNTERSIGN_CONSOLE_OPERATIONS: 'false' });
    expect(openInstallation({ config, processView, clock })).toBeNull();
    const running = await definition.start({ config, processView, clock } as never);
    expect([...running.off!]).toEqual([
      ['getInstallationState', expect.stringContaining('COUNTERSIGN_CONSOLE_OPERATIONS')],
    ]);
    expect((await definition.start({ config: loadConfig({}), processView, clock } as never)).off).toBeUndefined();
  });
});

it('is read once for all who ask within a second', async () => {
  let [now, reads] = [0, 0];
  const read = shared(
    async () => (reads += 1),
    1000,
    () => now,
  );
  expect(await Promise.all([read(), read()])).toEqual([1, 1]);
  now = 999;
  expect(await read()).toBe(1);
  now = 1000;
  expect(await read()).toBe(2);
  const failing = shared(
    () => Promise.reject(new Error(`${(reads += 1)}`)),
    1000,
    () => now,
  );
  await expect(failing()).rejects.toThrow('3');
  await expect(failing()).rejects.toThrow('4');
});

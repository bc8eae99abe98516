import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Instance } from '../instance/instance.js';
import { onEachProfile } from '../instance/profiles.js';
import { eventually } from '../instance/request.js';

const CHECKS = 100;

interface Line {
  readonly metadata: { readonly uid: string; readonly sequence: number };
}

/** A receiver of JSON lines that can be silent: then it takes a request, and does not answer. */
class SilentReceiver {
  readonly lines: Line[] = [];
  isSilent = false;
  #silent: ServerResponse[] = [];
  readonly #server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      if (this.isSilent) {
        this.#silent.push(response);
        return;
      }
      for (const line of body.trimEnd().split('\n')) this.lines.push(JSON.parse(line) as Line);
      response.writeHead(200).end();
    });
  });

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Requests that wait for an answer. */
  get waiting(): number {
    return this.#silent.length;
  }

  /** Ends the requests that wait, without an answer. */
  answer(): void {
    this.isSilent = false;
    for (const response of this.#silent) response.destroy();
    this.#silent = [];
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

onEachProfile('streams', (start) => {
  const receiver = new SilentReceiver();
  let instance: Instance;
  let headers: { readonly authorization: string };
  let agentId: string;
  let stream: string;

  beforeAll(async () => {
    await receiver.open();
    instance = await start({ env: variables() });
    headers = await instance.session();
    const agent = await instance.request('POST', '/v1/agents', { headers, body: { name: 'an agent' } });
    agentId = (agent.json as { id: string }).id;
    const body = { kind: 'https', url: `http://${receiver.host}/events`, format: 'ocsf', filter: { agentId } };
    const made = await instance.request('POST', '/v1/streams', { headers, body });
    expect([made.status, made.text]).toEqual([201, expect.any(String)]);
    stream = (made.json as { id: string }).id;
  }, 90_000);
  afterAll(async () => {
    receiver.close();
    await instance.discard();
  });

  const variables = (): Record<string, string> => ({ COUNTERSIGN_WEBHOOK_ALLOWED_HOSTS: receiver.host });

  async function check(): Promise<string> {
    const answer = await instance.check({ type: 'a' }, { agentId });
    expect(answer.status).toBe(200);
    return String(answer.headers['x-event-id']);
  }

  /** Waits until each of these was received; the events of an agent come in their order. */
  async function arrive(ids: readonly string[]): Promise<void> {
    // Where several instances may run, the lease of the killed one ends after a minute.
    await eventually('every event arrives', 120, async () => {
      const there = new Set(receiver.lines.map(({ metadata }) => metadata.uid));
      return ids.every((id) => there.has(id)) ? true : null;
    });
    const once = new Map(receiver.lines.map(({ metadata }) => [metadata.uid, metadata.sequence]));
    const sequences = [...once.values()];
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
  }

  it('answers checks while a receiver is silent, and sends every one of them afterwards', async () => {
    await arrive([await check()]);
    receiver.isSilent = true;
    const ids: string[] = [await check()];
    await eventually('the receiver is asked', 30, async () => (receiver.waiting > 0 ? true : null));
    let longestMs = 0;
    for (let n = 0; n < CHECKS; n += 1) {
      const begin = performance.now();
      ids.push(await check());
      longestMs = Math.max(longestMs, performance.now() - begin);
    }
    receiver.answer();
    await arrive(ids);
    // An attempt waits 20 s for an answer: none of the checks has waited for it.
    expect(longestMs).toBeLessThan(10_000);
  }, 180_000);

  it('goes on where it was after the process was killed', async () => {
    const ids: string[] = [];
    for (let n = 0; n < CHECKS; n += 1) ids.push(await check());
    await instance.kill();
    instance = await instance.startAgain({ env: variables() });
    headers = await instance.session();
    ids.push(await check());
    await arrive(ids);
    const { json } = await instance.request('GET', `/v1/streams/${stream}`, { headers });
    expect(json).toMatchObject({ id: stream, lastDeliveredAt: expect.any(String) });
  }, 180_000);
});

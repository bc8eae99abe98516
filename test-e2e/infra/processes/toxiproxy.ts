import { join } from 'node:path';
import { cacheFolder } from '../installed.js';
import { freePort } from './free-port.js';
import { ServerProcess } from './server-process.js';

export interface Toxic {
  readonly name: string;
  readonly type: 'latency' | 'bandwidth' | 'slow_close' | 'timeout' | 'reset_peer' | 'slicer' | 'limit_data';
  /** `downstream`: from the server to the client. */
  readonly stream: 'upstream' | 'downstream';
  /** For example `{latency: 500}`, milliseconds. */
  readonly attributes: Readonly<Record<string, number>>;
  /** Share of the affected connections; default 1. */
  readonly toxicity?: number;
}

/** Proxies between local ports that delay, cut and drop traffic. */
export class Toxiproxy {
  /** `url`: of its HTTP interface. */
  constructor(readonly url: string) {}

  /** Adds a proxy that listens on one port and forwards to another. */
  async add(name: string, listen: number, upstream: number): Promise<void> {
    await this.#send('POST', '/proxies', {
      name,
      listen: `127.0.0.1:${listen}`,
      upstream: `127.0.0.1:${upstream}`,
      enabled: true,
    });
  }

  async remove(name: string): Promise<void> {
    await this.#send('DELETE', `/proxies/${name}`);
  }

  /** Disabled: connections are cut and new ones refused. */
  async enable(name: string, enabled: boolean): Promise<void> {
    await this.#send('POST', `/proxies/${name}`, { enabled });
  }

  async poison(proxy: string, toxic: Toxic): Promise<void> {
    await this.#send('POST', `/proxies/${proxy}/toxics`, { toxicity: 1, ...toxic });
  }

  async cure(proxy: string, toxic: string): Promise<void> {
    await this.#send('DELETE', `/proxies/${proxy}/toxics/${toxic}`);
  }

  async #send(method: string, path: string, body?: object): Promise<void> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`toxiproxy: ${method} ${path}: ${answer.status} ${text}`);
  }
}

export interface ToxiproxyServer {
  readonly toxiproxy: Toxiproxy;
  readonly stop: () => Promise<void>;
}

export async function startToxiproxy(): Promise<ToxiproxyServer> {
  let url = '';
  const process = await ServerProcess.start(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const version = `${url}/version`;
    return {
      name: 'toxiproxy',
      readyWithinMs: 10_000,
      prepare: () => undefined,
      command: () => [join(cacheFolder(), 'toxiproxy', 'server'), '-host', '127.0.0.1', '-port', String(port)],
      answers: async () => (await fetch(version)).ok,
    };
  });
  return { toxiproxy: new Toxiproxy(url), stop: () => process.stop() };
}

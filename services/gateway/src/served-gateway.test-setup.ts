import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { InProcessCounters } from '@countersign/counters';
import { openSqliteLog } from '@countersign/event-log';
import { createLogger, createRegistry, loadConfig } from '@countersign/process';
import { PeerRegistry, serveThread } from '@countersign/service-kit';
import type { ServingThread } from '@countersign/service-kit';
import { definition } from './definition.js';
import { GatewayBench, send } from './gateway.test-setup.js';
import type { Answer, Sent } from './gateway.test-setup.js';

/** An outcome as the gateway has reported it. */
export interface ReportedOutcome {
  readonly key: unknown;
  readonly body: unknown;
}

/** The gateway behind its edge, with every route, and a server in place of the API that takes outcomes. */
export class ServedGateway {
  readonly bench = new GatewayBench();
  readonly outcomes: ReportedOutcome[] = [];
  /** Status and body of the API's answer to an outcome. */
  outcomeAnswer: readonly [number, object] = [201, { eventId: randomUUID() }];
  counters!: InProcessCounters;
  #api!: Server;
  #serving!: ServingThread;
  #port = 0;

  async open(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const { bench } = this;
    bench.log = await openSqliteLog({ file: `${bench.directory}/log.db` });
    await bench.putAccount({});
    await bench.putKey(bench.keyId, bench.key);
    await bench.putAgent(bench.agentId, {});
    await new Promise<void>((resolve) => (this.#api = this.#outcomeServer().listen(0, '127.0.0.1', resolve)));
    this.counters = new InProcessCounters();
    const config = loadConfig({
      COUNTERSIGN_DATA_DIR: bench.directory,
      COUNTERSIGN_API_URL: `http://127.0.0.1:${(this.#api.address() as AddressInfo).port}`,
      ...settings,
    });
    const thread = {
      config,
      log: createLogger('silent'),
      eventLog: bench.log,
      counters: this.counters,
      metrics: createRegistry('test', false),
      peers: new PeerRegistry(),
      clock: () => Date.now(),
      chain: () => Promise.reject(new Error('no chain in this test')),
      publicUrl: () => this.#serving.address,
    };
    this.#serving = await serveThread([definition], thread, { on: { host: '127.0.0.1', port: 0 } });
    this.#port = Number(new URL(this.#serving.address).port);
    while (this.#serving.notReady().length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  async close(): Promise<void> {
    await this.#serving.closeIntake(1000);
    await this.#serving.stop();
    await this.counters.close();
    await new Promise((resolve) => this.#api.close(resolve));
    await this.bench.log.close();
  }

  send(sent: Sent): Promise<Answer> {
    return send(this.#port, sent);
  }

  /** Posts JSON with the API key of the bench and its agent. */
  post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const { key, agentId } = this.bench;
    return this.send({
      path,
      headers: {
        'content-type': 'application/json',
        'x-service-key': key,
        'x-countersign-agent': agentId,
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  #outcomeServer(): Server {
    return createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
      request.on('end', () => {
        this.outcomes.push({ key: request.headers['x-service-key'], body: JSON.parse(text) });
        const [status, body] = this.outcomeAnswer;
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
  }
}

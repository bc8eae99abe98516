import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = (sampled: boolean, traceId = TRACE_ID): string =>
  `00-${traceId}-00f067aa0ba902b7-0${sampled ? 1 : 0}`;

describe('OTLP to a collector', () => {
  const received: { readonly path: string; readonly authorization: string | undefined; readonly body: Buffer }[] = [];
  let isSlow = false;
  const collector = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { authorization } = request.headers;
      received.push({ path: request.url ?? '', authorization, body: Buffer.concat(parts) });
      if (!isSlow) response.end();
    });
  });
  /** True once one of the exports to the path holds all of these bytes: names and ids stand in protobuf as they are. */
  const holds = (path: string, ...bytes: readonly (string | Buffer)[]): boolean =>
    received.some((one) => one.path === path && bytes.every((expected) => one.body.includes(expected)));
  const exported = (path: string, ...bytes: readonly (string | Buffer)[]): Promise<true> =>
    eventually(`${path} holds ${bytes.map(String).join(', ')}`, 30, () =>
      Promise.resolve(holds(path, ...bytes) ? true : null),
    );

  let instance: Instance;
  beforeAll(async () => {
    collector.listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo;
    instance = await Instance.start({
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=drill',
        OTEL_METRIC_EXPORT_INTERVAL: '1000',
        OTEL_BSP_SCHEDULE_DELAY: '200',
      },
    });
  }, 90_000);
  afterAll(async () => {
    await instance?.discard();
    collector.closeAllConnections();
    collector.close();
  });

  const checkWith = (sent: string) =>
    instance.request('POST', '/v1/check', {
      headers: { 'x-service-key': instance.bootstrap.apiKey, traceparent: sent },
      body: {
        agentId: instance.bootstrap.agentId,
        action: { type: 'tool_use', metadata: { private: 'not exported' } },
      },
    });

  it('has a span for each request, in the trace of its caller, with its route and nothing of its content', async () => {
    expect((await checkWith(traceparent(true))).status).toBe(200);
    const headers = { ...(await instance.session()), traceparent: traceparent(true) };
    await instance.request('GET', `/v1/agents/${instance.bootstrap.agentId}?private=1`, { headers });
    const trace = Buffer.from(TRACE_ID, 'hex');
    await exported('/v1/traces', 'POST /v1/check', trace, Buffer.from('00f067aa0ba902b7', 'hex'), 'drill');
    await exported('/v1/traces', 'GET /v1/agents/{id}', trace);
    expect(received.map(({ authorization }) => authorization)).toEqual(received.map(() => 'Bearer secret'));
    const all = Buffer.concat(received.map(({ body }) => body));
    for (const text of ['private', 'not exported', instance.bootstrap.apiKey, instance.bootstrap.agentId]) {
      expect(all.includes(text)).toBe(false);
    }
  });

  it('leaves out traces that their caller does not sample', async () => {
    const other = 'aaaabbbbccccddddeeeeffff00001111';
    expect((await checkWith(traceparent(false, other))).status).toBe(200);
    expect((await checkWith(traceparent(true, other.replace('a', 'b')))).status).toBe(200);
    await exported('/v1/traces', Buffer.from(other.replace('a', 'b'), 'hex'));
    expect(holds('/v1/traces', Buffer.from(other, 'hex'))).toBe(false);
  });

  it('has the metrics of all threads under the names of /metrics', async () => {
    await exported('/v1/metrics', 'countersign_checks_total', 'countersign_retention_behind', 'drill');
  });

  it('delays no check where the collector does not answer', async () => {
    isSlow = true;
    const began = performance.now();
    for (let i = 0; i < 50; i++) expect((await checkWith(traceparent(true))).status).toBe(200);
    expect(performance.now() - began).toBeLessThan(10_000);
    expect((await instance.stop()).code).toBe(0);
  }, 60_000);
});

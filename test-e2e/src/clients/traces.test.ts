import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { Countersign } from '@countersign/client';
import { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { eventually } from '../instance/request.js';

const OTHER = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('a check within a span of OpenTelemetry', () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const tracer = provider.getTracer('test');
  let instance: Instance;
  let headers: Record<string, string>;
  let countersign: Countersign;
  beforeAll(async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    instance = await Instance.start();
    headers = await instance.session();
    const agentId = await newAgent(instance, headers, { off_limits_actions: ['wire_money'] });
    const { apiKey, baseUrl } = instance.bootstrap;
    countersign = new Countersign({ apiKey, agentId, baseUrl });
  }, 90_000);
  afterEach(() => exporter.reset());
  afterAll(async () => {
    context.disable();
    await provider.shutdown();
    await instance?.discard();
  });

  /** The events of a trace, once there are `count` of them in the archive. */
  const eventsOf = (traceId: string, count: number): Promise<readonly { eventId: string }[]> =>
    eventually(`${count} events of the trace`, 30, async () => {
      const { json } = await instance.request('GET', `/v1/events?trace=${traceId}`, { headers });
      const { events } = json as { events: { eventId: string }[] };
      return events.length === count ? events : null;
    });
  const within = <T>(fn: () => Promise<T>): Promise<{ traceId: string; value: T }> => {
    const span = tracer.startSpan('execute_tool');
    const traceId = span.spanContext().traceId;
    return context.with(trace.setSpan(context.active(), span), async () => {
      const value = await fn();
      span.end();
      return { traceId, value };
    });
  };

  it('is found by its trace, and the span has the decision', async () => {
    const { traceId, value } = await within(async () => [
      await countersign.check({ actionType: 'tool_use', toolName: 'lookup' }),
      await countersign.check({ actionType: 'tool_use', toolName: 'wire_money' }),
    ]);
    const [allowed, denied] = value;
    expect([allowed?.allowed, denied?.allowed]).toEqual([true, false]);
    expect(exporter.getFinishedSpans().flatMap(({ events }) => events)).toMatchObject([
      {
        name: 'countersign.decision',
        attributes: {
          'countersign.event_id': allowed?.eventId,
          'countersign.allowed': true,
          'countersign.latency_ms': expect.any(Number),
        },
      },
      {
        name: 'countersign.decision',
        attributes: {
          'countersign.event_id': denied?.eventId,
          'countersign.allowed': false,
          'countersign.violation_type': 'off_limits_action',
          'countersign.rule': denied?.rule,
          'countersign.severity': denied?.severity,
        },
      },
    ]);
    const found = await eventsOf(traceId, 2);
    expect(found.map(({ eventId }) => eventId)).toEqual([denied?.eventId, allowed?.eventId]);
  });

  it('has the trace that the call names, and the decision is still on the active span', async () => {
    const { traceId, value } = await within(() =>
      countersign.check({ actionType: 'tool_use', toolName: 'lookup' }, { traceparent: OTHER }),
    );
    expect(exporter.getFinishedSpans()[0]?.events[0]?.attributes?.['countersign.event_id']).toBe(value.eventId);
    expect(await eventsOf(OTHER.slice(3, 35), 1)).toMatchObject([{ eventId: value.eventId }]);
    expect(await eventsOf(traceId, 0)).toEqual([]);
  });

  it('has none outside of a span', async () => {
    const { eventId } = await countersign.check({ actionType: 'tool_use', toolName: 'lookup' });
    const json = await eventually('the event in the archive', 30, async () => {
      const answer = await instance.request('GET', `/v1/events/${eventId}`, { headers });
      return answer.status === 200 ? answer.json : null;
    });
    expect(json).toMatchObject({
      opened: { context: { value: expect.not.objectContaining({ trace: expect.anything() }) } },
    });
  });
});

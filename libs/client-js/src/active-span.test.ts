import { activeSpan, recordDecision, traceparentOf } from './active-span.js';

const API = Symbol.for('opentelemetry.js.api.1');
const globals = globalThis as { [API]?: unknown };
const spanOf = (traceId: string, traceFlags = 1) => ({
  spanContext: () => ({ traceId, spanId: '00f067aa0ba902b7', traceFlags }),
  isRecording: () => true,
  addEvent: () => undefined,
});
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('the active span', () => {
  const before = globals[API];
  afterEach(() => {
    if (before === undefined) delete globals[API];
    else globals[API] = before;
  });
  const active = (span: unknown): void => {
    globals[API] = { context: { active: () => ({ getValue: () => span }) } };
  };

  it('is read where there is one, and its flags have two digits', () => {
    const span = spanOf(TRACE);
    active(span);
    expect(activeSpan()).toBe(span);
    expect(traceparentOf(span)).toBe(`00-${TRACE}-00f067aa0ba902b7-01`);
    expect(traceparentOf(spanOf(TRACE, 0x1ff))).toBe(`00-${TRACE}-00f067aa0ba902b7-ff`);
  });

  it('is absent without the API, without a context manager, without a span and where it is invalid or fails', () => {
    const fails = {
      active: () => {
        throw new Error('no');
      },
    };
    for (const api of [undefined, {}, { context: fails }, { context: {} }]) {
      globals[API] = api;
      expect(activeSpan()).toBeUndefined();
    }
    for (const span of [undefined, spanOf('0'.repeat(32)), {}, 'span']) {
      active(span);
      expect(activeSpan()).toBeUndefined();
    }
  });

  it('gets nothing where it does not record, and an error of its own changes nothing', () => {
    const added: unknown[] = [];
    const silent = { ...spanOf(TRACE), isRecording: () => false, addEvent: (name: string) => added.push(name) };
    recordDecision(silent, { allowed: true }, 1);
    expect(added).toEqual([]);
    const failing = {
      ...spanOf(TRACE),
      addEvent: () => {
        throw new Error('no');
      },
    };
    expect(() => recordDecision(failing, { allowed: true }, 1)).not.toThrow();
  });
});

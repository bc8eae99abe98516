import { traceIdIn, traceIdOf } from './trace-id.js';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACE = `00-${ID}-00f067aa0ba902b7-01`;
const opened = (value: unknown) => ({ context: { salt: 'AAAAAAAAAAAAAAAAAAAAAA', value: value as never } });

describe('the trace id of an event', () => {
  it('is that of the traceparent in its context', () => {
    expect(traceIdIn(TRACE)).toBe(ID);
    expect(traceIdOf(opened({ trace: TRACE }))).toBe(ID);
  });

  it.each([
    ['no context', {}],
    ['a context without a trace', opened({})],
    ['a list', opened([TRACE])],
    ['a text', opened(TRACE)],
    ['null', opened(null)],
    ['another form', opened({ trace: `${TRACE}-00` })],
    ['upper case', opened({ trace: TRACE.toUpperCase() })],
    ['a number', opened({ trace: 1 })],
  ])('is absent for %s', (_what, openings) => {
    expect(traceIdOf(openings)).toBeNull();
  });
});

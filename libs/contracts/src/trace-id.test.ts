import { readTraceparent, traceIdIn, traceIdOf, traceOfMeta } from './trace-id.js';

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

describe('a traceparent', () => {
  it('is read from a header and from _meta alike', () => {
    expect(readTraceparent(TRACE)).toBe(TRACE);
    expect(traceOfMeta({ _meta: { traceparent: TRACE, tracestate: 'a=1', progressToken: 1 } })).toBe(TRACE);
  });

  it.each([
    ['version ff', `ff${TRACE.slice(2)}`],
    ['an all-zero trace', TRACE.replace(ID, '0'.repeat(32))],
    ['an all-zero parent', TRACE.replace('00f067aa0ba902b7', '0'.repeat(16))],
    ['upper case', TRACE.toUpperCase()],
    ['one that continues', `${TRACE}-00`],
    ['the empty text', ''],
    ['a list', [TRACE]],
    ['null', null],
  ])('is ignored for %s', (_what, sent) => {
    expect([readTraceparent(sent), traceOfMeta({ _meta: { traceparent: sent } })]).toEqual([null, null]);
  });

  it.each([
    [undefined],
    [null],
    [TRACE],
    [[]],
    [{}],
    [{ _meta: null }],
    [{ _meta: [TRACE] }],
    [{ traceparent: TRACE }],
  ])('is absent in %j', (holder) => {
    expect(traceOfMeta(holder)).toBeNull();
  });
});

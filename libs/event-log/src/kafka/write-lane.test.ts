import { AppendCall } from './append-call.js';
import { lanesOf, WriteLane } from './write-lane.js';

const LIMIT_MS = 1000;
const ignored = () => undefined;

function waiting(value: string, call = new AppendCall(1, LIMIT_MS)) {
  return { call, index: 0, key: Buffer.from('k'), value, valueBytes: Buffer.byteLength(value), resent: false };
}

function laneWith(...values: readonly string[]): WriteLane {
  const lane = new WriteLane('anchors', 'p.anchors', 0);
  for (const value of values) lane.push(waiting(value));
  return lane;
}

const valuesOf = (lane: WriteLane) => lane.take(ignored).map(({ value }) => value);

describe('the records of one partition', () => {
  it('are sent together, in their order', () => {
    expect(valuesOf(laneWith('1', '2', '3'))).toEqual(['1', '2', '3']);
  });

  it('omit those whose calls have ended, and report them', () => {
    const lane = laneWith('1');
    const over = waiting('2');
    over.call.promise.catch(ignored);
    over.call.expire('late');
    lane.push(over);
    lane.push(waiting('3'));
    const dropped: string[] = [];
    expect(lane.take(({ value }) => dropped.push(value)).map(({ value }) => value)).toEqual(['1', '3']);
    expect(dropped).toEqual(['2']);
  });

  it('are sent one at a time after a failure, in the same order, until one is accepted', () => {
    const lane = laneWith('1', '2', '3');
    const batch = lane.take(ignored);
    lane.failed('too few replicas', 0, LIMIT_MS);
    lane.putBack(batch);
    expect(valuesOf(lane)).toEqual(['1']);
    lane.taken();
    expect(valuesOf(lane)).toEqual(['2', '3']);
  });

  it('are retried after pauses that grow up to a limit, and restart with a success', () => {
    const lane = laneWith();
    const pauses = Array.from({ length: 6 }, (_, n) => lane.failed('away', n * 1000, 250));
    expect(pauses).toEqual([40, 80, 160, 250, 250, 250]);
    expect(lane.notBeforeMs).toBe(5250);
    lane.taken();
    expect(lane.failed('away', 9000, 250)).toBe(40);
  });

  it('are hopeless while nothing was accepted for the whole timeout of a call, but one is attempted', () => {
    const lane = laneWith('1');
    expect(lane.hopeless(0, LIMIT_MS)).toBeNull();
    for (const atMs of [0, 400, 800]) lane.failed('too few replicas', atMs, LIMIT_MS);
    expect(lane.hopeless(900, LIMIT_MS)).toBeNull();
    expect(lane.hopeless(1000, LIMIT_MS)).toBe('too few replicas');
    const batch = lane.take(ignored);
    expect(lane.hopeless(1000, LIMIT_MS)).toBeNull();
    lane.outstanding = true;
    expect(lane.hopeless(1000, LIMIT_MS)).toBe('too few replicas');
    lane.outstanding = false;
    lane.putBack(batch);
    lane.taken();
    expect(lane.hopeless(1000, LIMIT_MS)).toBeNull();
  });

  it('are not hopeless when the last failure was long ago', () => {
    const lane = laneWith('1');
    for (const atMs of [0, 1000]) lane.failed('away', atMs, LIMIT_MS);
    expect(lane.hopeless(2999, LIMIT_MS)).toBe('away');
    expect(lane.hopeless(3000, LIMIT_MS)).toBeNull();
  });
});

describe('the lanes of some topics', () => {
  it('are as many as the topics have partitions', () => {
    const lanes = lanesOf(['anchors', 'agent-events'], 'p.');
    expect([...lanes].map(([topic, own]) => [topic, own.length])).toEqual([
      ['anchors', 1],
      ['agent-events', 12],
    ]);
    expect(lanes.get('agent-events')?.map(({ name, partition }) => `${name}/${partition}`)[11]).toBe(
      'p.agent-events/11',
    );
  });
});

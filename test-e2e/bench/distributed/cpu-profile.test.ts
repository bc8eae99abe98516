import { timeByPart } from './cpu-profile.js';

const frame = (functionName: string, url = '') => ({ functionName, url });
const NODES = [
  { id: 1, callFrame: frame('(root)'), children: [2, 3, 6] },
  { id: 2, callFrame: frame('(idle)') },
  { id: 3, callFrame: frame('onread', 'node:net'), children: [4] },
  { id: 4, callFrame: frame('parse', 'file:///app/node_modules/ioredis/built/DataHandler.js'), children: [5] },
  { id: 5, callFrame: frame('write', 'node:net') },
  { id: 6, callFrame: frame('(program)') },
];

describe('timeByPart', () => {
  it('counts Node’s work for its caller, and no idle time', () => {
    const profile = { nodes: NODES, startTime: 0, samples: [3, 4, 5, 2, 6, 6], timeDeltas: [0, 10, 20, 30, 40, 50] };
    expect(Object.fromEntries(timeByPart(profile, 0, 1000))).toEqual({
      'HTTP and event loop of Node': 10,
      'to Redis and back': 50,
      'native code outside of any function (sockets, polling)': 50,
    });
  });

  it('counts only samples between the two moments', () => {
    const profile = { nodes: NODES, startTime: 100, samples: [3, 3, 3, 3], timeDeltas: [0, 10, 10, 10] };
    expect([...timeByPart(profile, 105, 115).values()]).toEqual([10]);
  });
});

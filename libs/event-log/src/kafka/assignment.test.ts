import { AssignerProtocol } from 'kafkajs';
import fc from 'fast-check';
import { dealOut, readAssignment, readSubscription, writeAssignment, writeSubscription } from './assignment.js';

describe('assignment', () => {
  it('gives every partition to one member that wants its topic, evenly', () => {
    const members = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(members, fc.nat(20), fc.nat(20), (names, first, second) => {
        const subscriptions = new Map(names.map((name) => [name, ['first', 'second']]));
        const dealt = dealOut(subscriptions, (topic) => (topic === 'first' ? first : second));
        const given = [...dealt.values()].flatMap((one) =>
          [...one].flatMap(([topic, list]) => list.map((p) => topic + p)),
        );
        expect(new Set(given).size).toBe(first + second);
        expect(given).toHaveLength(first + second);
        const loads = [...dealt.values()].map((one) => [...one.values()].flat().length);
        expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('does not give a topic to a member that did not subscribe to it, nor one without subscribers to anyone', () => {
    const dealt = dealOut(
      new Map([
        ['old', ['a']],
        ['new', ['a', 'b']],
      ]),
      () => 3,
    );
    expect(dealt.get('old')?.has('b')).toBe(false);
    expect(dealt.get('new')?.get('b')).toEqual([0, 1, 2]);
    expect(dealOut(new Map(), () => 3).size).toBe(0);
  });

  it('speaks the protocol that other clients and tools read', () => {
    const { MemberMetadata, MemberAssignment } = AssignerProtocol;
    expect(MemberMetadata.decode(writeSubscription(['a', 'ü']))?.topics).toEqual(['a', 'ü']);
    expect(
      readSubscription(MemberMetadata.encode({ version: 1, topics: ['a', 'b'], userData: Buffer.alloc(0) })),
    ).toEqual(['a', 'b']);
    expect(MemberAssignment.decode(writeAssignment(new Map([['a', [0, 7]]])))?.assignment).toEqual({ a: [0, 7] });
    const theirs = MemberAssignment.encode({ version: 1, assignment: { a: [2] }, userData: Buffer.alloc(0) });
    expect([...readAssignment(theirs)]).toEqual([['a', [2]]]);
    expect(readAssignment(Buffer.alloc(0)).size).toBe(0);
  });
});

import fc from 'fast-check';
import { anyFilter, scan } from '../testing/scan.js';
import { denied, envelope, other } from '../testing/envelopes.js';
import { asksForClass, classOf, isBlocked, matchesClass } from './event-class.js';

const frozen = envelope(3, { leaf: { outcome: 'frozen', allowed: false, reason: 'frozen', severity: 'P1' } });
const all = [envelope(1), denied(2), frozen, other(4, 'agent.created'), other(5, 'agent.frozen')];

describe('classes of events', () => {
  it('are let through as their events are', () => {
    fc.assert(
      fc.property(anyFilter, ({ agentId: _agent, fromMs: _from, toMs: _to, ...filter }) => {
        for (const one of all) {
          expect(matchesClass(filter, classOf(one.leaf))).toBe(scan([one], filter).length === 1);
        }
      }),
    );
  });

  it('are asked for by what they consist of alone', () => {
    expect(asksForClass({ agentId: 'a', fromMs: 1, toMs: 2 })).toBe(false);
    for (const filter of [{ type: 't' }, { outcome: 'o' }, { allowed: false }, { violationType: 'v' }]) {
      expect(asksForClass(filter)).toBe(true);
    }
  });

  it('show denials and freezes in the inbox', () => {
    expect(all.map(({ leaf }) => isBlocked(leaf))).toEqual([false, true, true, false, false]);
  });
});

import fc from 'fast-check';
import { denied } from '../testing/envelopes.js';
import { groupAlerts, openAlert } from './open-alert.js';

describe('groupAlerts', () => {
  it('counts every alert once, with the first and the newest of its group', () => {
    const alert = fc.record({ agent: fc.nat({ max: 2 }), rule: fc.constantFrom('a:', 'b:', null) });
    fc.assert(
      fc.property(fc.array(alert, { maxLength: 30 }), (given) => {
        const alerts = given.map(({ agent, rule }, n) => openAlert(denied(99 - n, { agent, leaf: { rule } }).leaf));
        const groups = groupAlerts(alerts);
        expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(alerts.length);
        for (const { newest, firstAt, count } of groups) {
          const own = alerts.filter(({ agentId, rule }) => agentId === newest.agentId && rule === newest.rule);
          expect([own.length, own[0], own.at(-1)?.occurredAt]).toEqual([count, newest, firstAt]);
        }
        const times = groups.map(({ newest }) => newest.occurredAt);
        expect(times).toEqual([...times].sort().reverse());
      }),
    );
  });
});

import { packAmounts } from '@countersign/contracts';
import type { ApprovalOfCheck, EventEnvelope, KeptRules, RuleCounts } from '@countersign/contracts';
import { RuleRecount } from './recount-rules.js';

const T = Date.UTC(2026, 2, 1);

function event(
  atMs: number,
  more: Pick<Partial<EventEnvelope>, 'order' | 'ruleCounts' | 'givesBackHeld' | 'approvals'>,
): EventEnvelope {
  return { leaf: { occurredAt: new Date(atMs).toISOString() }, ...more } as EventEnvelope;
}

const counts = (units: number): RuleCounts => ({
  facts: [{ id: 'secret', key: 'agent', expiresAtMs: T + 60_000 }],
  limits: [{ key: 'k', windowSeconds: 60, amount: { units, nanos: 1 }, reserve: true }],
});

const amount = (order: number) => ({ order, atMs: T + order, amount: { units: order, nanos: 1 } });

function recount(...more: readonly EventEnvelope[]): RuleRecount {
  const rules = new RuleRecount();
  for (const order of [1, 2]) rules.take(event(T + order, { order, ruleCounts: counts(order) }));
  for (const one of more) rules.take(one);
  return rules;
}

const kept = (orders: readonly number[]): KeptRules => ({
  facts: [['secret', 'agent', T + 60_000]],
  windows: orders.length === 0 ? [] : [['k', 60, T + orders.at(-1)!, packAmounts(orders.map(amount))]],
});

describe('recounted facts and limits', () => {
  it('agree with what was kept, also after an amount was given back', () => {
    expect(recount().differences({ order: 2, rules: kept([1, 2]) })).toEqual([]);
    const back = event(T + 5, { givesBackHeld: [{ key: 'k', ...amount(1) }] });
    expect(recount(back).differences({ order: 2, rules: kept([2]) })).toEqual([]);
    expect(new RuleRecount().differences({})).toEqual([]);
  });

  it('have the latest approval of a binding, which does not open again', () => {
    const of = (state: 'requested' | 'consumed', id: string, seconds: number) =>
      ({ state, id, bindingSha256: 'b', expiresAt: new Date(T + seconds * 1000).toISOString() }) as ApprovalOfCheck;
    const asked = event(T + 3, { order: 1, approvals: [of('requested', 'one', 60)] });
    const used = event(T + 4, { order: 2, approvals: [of('consumed', 'one', 60)] });
    const later = event(T + 5, { order: 2, approvals: [of('requested', 'two', 90)] });
    const rules = (id: string, seconds: number, isConsumed: boolean): KeptRules => {
      return { ...kept([1, 2]), approvals: [[id, 'b', T + seconds * 1000, isConsumed]] };
    };
    expect(recount(asked, used, asked).differences({ order: 2, rules: rules('one', 60, true) })).toEqual([]);
    expect(recount(asked, used, asked).differences({ order: 2, rules: rules('one', 60, false) })).not.toEqual([]);
    expect(recount(later, asked, used).differences({ order: 2, rules: rules('two', 90, false) })).toEqual([]);
    expect(recount(asked).differences({ order: 2, rules: kept([1, 2]) })).not.toEqual([]);
  });

  it('differ by any change: of order, fact, length, key, time, or an amount that is missing, added or other', () => {
    const rules = kept([1, 2]);
    const [window] = rules.windows;
    const wrong: readonly { order?: number; rules?: KeptRules }[] = [
      { rules },
      { order: 3, rules },
      { order: 2 },
      { order: 2, rules: { ...rules, facts: [] } },
      { order: 2, rules: { ...rules, facts: [['secret', 'agent', T + 60_001]] } },
      { order: 2, rules: { ...rules, facts: [...rules.facts, ['other', 'agent', T + 60_000]] } },
      { order: 2, rules: { ...rules, windows: [['K', 60, window![2], window![3]]] } },
      { order: 2, rules: { ...rules, windows: [['k', 61, window![2], window![3]]] } },
      { order: 2, rules: { ...rules, windows: [['k', 60, window![2] + 1, window![3]]] } },
      { order: 2, rules: { ...rules, windows: [['k', 60, window![2], `${window![3]}!`]] } },
      { order: 2, rules: kept([1]) },
      { order: 2, rules: kept([1, 2, 3]) },
      { order: 2, rules: kept([1, 3]) },
    ];
    for (const one of wrong) expect(recount().differences(one)).not.toEqual([]);
  });

  it('do not depend on what has expired', () => {
    const late = event(T + 60_002, { order: 3 });
    expect(recount(late).differences({ order: 3, rules: kept([1, 2]) })).toEqual([]);
    expect(recount(late).differences({ order: 3 })).toEqual([]);
    expect(recount(event(T + 59_999, { order: 3 })).differences({ order: 3 })).not.toEqual([]);
  });
});

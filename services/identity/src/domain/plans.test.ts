import { nextMonth, onPlan, PlanRefused } from './plans.js';
import { accountRecord } from './account-record.js';

const T = Date.UTC(2026, 11, 31, 23);

describe('an account on a plan', () => {
  it('takes the terms of the plan', () => {
    expect(onPlan('A', 'sandbox', {}, T)).toEqual({
      name: 'A',
      plan: 'sandbox',
      actionCap: 1000,
      sandboxExpiresAt: '2027-01-14T23:00:00.000Z',
      cadenceSeconds: 3600,
    });
    expect(onPlan('A', 'core', {}, T)).toMatchObject({
      actionCap: 100_000,
      sandboxExpiresAt: null,
      cadenceSeconds: 3600,
    });
    expect(onPlan('A', 'scale', {}, T)).toMatchObject({ actionCap: 1_000_000, cadenceSeconds: 300 });
    expect(onPlan('A', 'enterprise', {}, T)).toMatchObject({ actionCap: null, cadenceSeconds: 1 });
  });

  it('takes agreed terms instead', () => {
    expect(onPlan('A', 'enterprise', { actionCap: 0 }, T)).toMatchObject({ actionCap: 0 });
    expect(onPlan('A', 'sandbox', { expiresAt: '2027-02-01T00:00:00+01:00' }, T)).toMatchObject({
      sandboxExpiresAt: '2027-01-31T23:00:00.000Z',
    });
  });

  it.each([
    ['gold', {}],
    ['core', { actionCap: -1 }],
    ['core', { actionCap: 1.5 }],
    ['core', { expiresAt: '2027-02-01T00:00:00Z' }],
    ['sandbox', { expiresAt: 'soon' }],
    ['sandbox', { expiresAt: '2027-02-31T00:00:00Z' }],
  ])('refuses %s with %j', (plan, agreed) => {
    expect(() => onPlan('A', plan as 'core', agreed, T)).toThrow(PlanRefused);
  });
});

describe('the body of GET /v1/account', () => {
  const usage = { actionsInPeriod: 3, actionsEver: 8 };

  it('counts a sandbox without a period, until its expiry', () => {
    const account = { id: 'a', version: 1, facts: onPlan('A', 'sandbox', {}, T) };
    const expiresAt = '2027-01-14T23:00:00.000Z';
    expect(accountRecord(account, usage, T)).toEqual({
      id: 'a',
      name: 'A',
      plan: 'sandbox',
      sandbox: { expiresAt, actionCap: 1000, actionsUsed: 8 },
      actionCap: 1000,
      actionsUsed: 8,
      periodEndsAt: expiresAt,
    });
  });

  it('counts a paid plan by calendar month (UTC)', () => {
    const account = { id: 'a', version: 1, facts: onPlan('A', 'enterprise', {}, T) };
    expect(accountRecord(account, usage, T)).toEqual({
      id: 'a',
      name: 'A',
      plan: 'enterprise',
      sandbox: null,
      actionCap: null,
      actionsUsed: 3,
      periodEndsAt: '2027-01-01T00:00:00.000Z',
    });
    expect(nextMonth(Date.UTC(2026, 1, 1))).toBe('2026-03-01T00:00:00.000Z');
  });
});

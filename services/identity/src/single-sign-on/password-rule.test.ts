import { passwordsAreRefused } from './password-rule.js';

const RULE = { issuer: 'https://login.example.com', accountId: 'a', refusesPasswords: true, label: 'Example' };
const subject = { issuer: RULE.issuer, sub: '1' };

describe('passwords with single sign-on', () => {
  it('are accepted without a provider, and where it does not refuse them', () => {
    expect(passwordsAreRefused({ accountId: 'a', subject }, null)).toBe(false);
    expect(passwordsAreRefused({ accountId: 'a', subject }, { ...RULE, refusesPasswords: false })).toBe(false);
  });

  it('are refused for users of its account, and for those who have signed in there', () => {
    expect(passwordsAreRefused({ accountId: 'a' }, RULE)).toBe(true);
    expect(passwordsAreRefused({ accountId: 'b' }, RULE)).toBe(false);
    expect(passwordsAreRefused({ accountId: 'b', subject }, { ...RULE, accountId: null })).toBe(true);
    expect(passwordsAreRefused({ accountId: 'b' }, { ...RULE, accountId: null })).toBe(false);
    const former = { issuer: 'https://former.example.com', sub: '1' };
    expect(passwordsAreRefused({ accountId: 'b', subject: former }, RULE)).toBe(false);
  });

  it('are accepted once the operator has set one', () => {
    expect(passwordsAreRefused({ accountId: 'a', subject, passwordKept: true }, RULE)).toBe(false);
  });
});

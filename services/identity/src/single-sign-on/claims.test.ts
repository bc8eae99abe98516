import { claimOf, mergedClaims, roleOfClaims, verifiedEmail } from './claims.js';

describe('claims of a provider', () => {
  it.each([
    [{ email: 'Ana@Example.com', email_verified: true }, 'ana@example.com'],
    [{ email: 'ana@example.com', email_verified: false }, null],
    [{ email: 'ana@example.com', email_verified: 'true' }, null],
    [{ email: 'ana@example.com' }, null],
    [{ email: 'ana', email_verified: true }, null],
    [{ email: ['ana@example.com'], email_verified: true }, null],
  ])('give an e-mail address only where it is verified: %j', (claims, email) => {
    expect(verifiedEmail({ sub: '1', ...claims })).toBe(email);
  });

  it.each<[string, object, object, string | null]>([
    [
      'the ID token that has both',
      { email: 'a@example.com', email_verified: true },
      { email: 'b@example.com', email_verified: true },
      'a@example.com',
    ],
    [
      'the ID token that has both, and denies it',
      { email: 'a@example.com', email_verified: false },
      { email: 'a@example.com', email_verified: true },
      null,
    ],
    ['UserInfo', {}, { email: 'b@example.com', email_verified: true }, 'b@example.com'],
    [
      'UserInfo, where the ID token has the address alone',
      { email: 'a@example.com' },
      { email: 'b@example.com', email_verified: true },
      'b@example.com',
    ],
    ['neither, where each has one of them', { email: 'a@example.com' }, { email_verified: true }, null],
    ['neither, the other way round', { email_verified: true }, { email: 'b@example.com' }, null],
  ])('take address and its verification from one statement: %s', (_what, idToken, userInfo, email) => {
    const merged = mergedClaims({ sub: '1', ...idToken }, { sub: '1', groups: 'readers', ...userInfo });
    expect(verifiedEmail(merged)).toBe(email);
    expect(merged).toMatchObject({ sub: '1', groups: 'readers' });
  });

  it.each([
    [{ groups: 'auditors' }, 'auditor'],
    [{ groups: ['auditors', 'owners', 'developers'] }, 'admin'],
    [{ groups: ['others'] }, null],
    [{ groups: { owners: true } }, null],
    [{}, null],
  ])('give the highest role of their values: %j', (claims, role) => {
    const byValue = [
      ['auditors', 'auditor'],
      ['developers', 'member'],
      ['owners', 'admin'],
    ] as const;
    expect(roleOfClaims(claims, { claim: 'groups', byValue })).toBe(role);
  });

  it('are found by their own name before they are found by its parts', () => {
    expect(claimOf({ realm_access: { roles: ['a'] } }, 'realm_access.roles')).toEqual(['a']);
    expect(claimOf({ 'https://example.com/roles': ['b'] }, 'https://example.com/roles')).toEqual(['b']);
    expect(claimOf({ 'a.b': 1, a: { b: 2 } }, 'a.b')).toBe(1);
    expect(claimOf({}, 'constructor.name')).toBeUndefined();
  });
});

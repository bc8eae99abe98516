import { onPlan } from '../domain/plans.js';
import type { Account, User } from '../domain/members.js';
import { judgeWrite } from './judge-write.js';
import type { Stored } from './judge-write.js';

const NOTHING: Stored = {
  ...{ accounts: new Map(), users: new Map(), apiKeys: new Map(), sessions: new Map() },
  ...{ members: new Map(), emails: new Map() },
};
const account = (version: number): Account => ({ id: 'a', version, facts: onPlan('A', 'core', {}, 0) });
const user = (id: string, version: number, email = `${id}@x.example`): User => ({
  ...{ id, version, accountId: 'a', email, role: 'admin', passwordHash: '', createdAt: '' },
});

describe('whether a write may happen', () => {
  it('asks for each thing at the version before', () => {
    expect(judgeWrite({ accounts: [account(1)] }, NOTHING)).toBeNull();
    expect(judgeWrite({ accounts: [account(2)] }, NOTHING)).toBe('conflict');
    expect(judgeWrite({ accounts: [account(1), account(2)] }, NOTHING)).toBeNull();
    expect(judgeWrite({ accounts: [account(1), account(1)] }, NOTHING)).toBe('conflict');
    expect(judgeWrite({ users: [user('u', 2)] }, { ...NOTHING, users: new Map([['u', 1]]) })).toBeNull();
  });

  it('removes what is stored as it is named, once', () => {
    const stored: Stored = { ...NOTHING, users: new Map([['u', 1]]) };
    expect(judgeWrite({ removedUsers: [user('u', 1)] }, stored)).toBeNull();
    expect(judgeWrite({ removedUsers: [user('u', 2)] }, stored)).toBe('conflict');
    expect(judgeWrite({ removedUsers: [user('u', 1), user('u', 1)] }, stored)).toBe('conflict');
  });

  it('counts the members of an account that exists, new ones too', () => {
    const stored: Stored = { ...NOTHING, accounts: new Map([['a', 1]]), members: new Map([['a', 4]]) };
    expect(judgeWrite({ members: { accountId: 'a', version: 4 } }, stored)).toBeNull();
    expect(judgeWrite({ members: { accountId: 'a', version: 3 } }, stored)).toBe('conflict');
    expect(judgeWrite({ members: { accountId: 'b', version: 0 } }, stored)).toBe('conflict');
    expect(judgeWrite({ accounts: [account(1)], members: { accountId: 'a', version: 0 } }, NOTHING)).toBeNull();
  });

  it('gives an address to one user, also within the write', () => {
    const stored: Stored = { ...NOTHING, users: new Map([['u', 1]]), emails: new Map([['u@x.example', 'u']]) };
    expect(judgeWrite({ users: [user('w', 1, 'u@x.example')] }, stored)).toBe('email-taken');
    expect(judgeWrite({ users: [user('u', 2, 'u@x.example')] }, stored)).toBeNull();
    expect(judgeWrite({ users: [user('v', 1, 'n@x.example'), user('w', 1, 'n@x.example')] }, stored)).toBe(
      'email-taken',
    );
  });

  it('wants an expected user as it was', () => {
    const stored: Stored = { ...NOTHING, users: new Map([['u', 3]]) };
    expect(judgeWrite({ expectedUser: { id: 'u', version: 3 } }, stored)).toBeNull();
    expect(judgeWrite({ expectedUser: { id: 'u', version: 2 } }, stored)).toBe('conflict');
    expect(judgeWrite({ expectedUser: { id: 'v', version: 1 } }, stored)).toBe('conflict');
  });
});

import { losesLastAdmin } from './members.js';
import type { User } from './members.js';

const user = (role: User['role']): User => ({
  id: 'u',
  version: 1,
  accountId: 'a',
  email: 'u@example.com',
  role,
  passwordHash: '',
  createdAt: '',
});

describe('the last admin', () => {
  it.each([
    ['admin', 'member', 1, true],
    ['admin', null, 1, true],
    ['admin', 'admin', 1, false],
    ['admin', null, 2, false],
    ['member', null, 1, false],
    ['auditor', 'admin', 1, false],
  ] as const)('%s to %s of %i admins: lost %s', (role, after, admins, lost) => {
    expect(losesLastAdmin(user(role), after, admins)).toBe(lost);
  });
});

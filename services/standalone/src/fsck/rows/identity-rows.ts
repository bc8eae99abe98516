import { lost, notAsTold, notJson, type Question } from './questions.js';

const ISO = `'[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9].[0-9][0-9][0-9]Z'`;

/** What identity's own rows say of each other. */
export const IDENTITY_ROWS: readonly Question[] = [
  notJson('accounts', 'id', 'facts'),
  notJson('api_keys', 'id', 'facts'),
  notJson('sessions', 'id', 'facts'),
  [
    'accounts',
    `SELECT id FROM accounts a WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.account_id = a.id AND u.role = 'admin')`,
    'no user of it is an admin',
  ],
  ['accounts', 'SELECT id FROM accounts WHERE members_version < 0', 'its count of changes of members is below 0'],
  lost('users', 'id', 'account_id', 'accounts', 'id'),
  [
    'users',
    `SELECT id FROM users WHERE role NOT IN ('auditor', 'member', 'admin') OR version < 1 OR email <> lower(email)
       OR email NOT LIKE '%_@_%' OR password_hash NOT LIKE '$%' OR created_at NOT GLOB ${ISO}`,
    'role, version, e-mail address, password hash or time do not have their form',
  ],
  ...notAsTold('api_keys', 'id', 'facts', { account_id: '$.accountId' }),
  lost('api_keys', 'id', 'account_id', 'accounts', 'id'),
  ...notAsTold('sessions', 'id', 'facts', {
    user_id: '$.userId',
    expires_at: '$.expiresAt',
    revoked: `(facts ->> '$.revokedAt' IS NOT NULL)`,
  }),
  [
    'sessions',
    `SELECT s.id FROM sessions s LEFT JOIN users u ON u.id = s.user_id WHERE s.revoked = 0 AND json_valid(s.facts)
       AND (u.account_id IS NOT s.facts ->> '$.accountId' OR u.email IS NOT s.facts ->> '$.email'
         OR u.role IS NOT s.facts ->> '$.role')`,
    'it is open, and its user is another one, or is gone',
  ],
];

import { randomBytes } from 'node:crypto';
import { mintApiKey } from '@countersign/process';
import { apiKeyProblem, endedKeyProblem, sessionProblem } from './credential-problem.js';

const KEY = mintApiKey((bytes) => randomBytes(bytes));
const TYPO = KEY.slice(0, 20) + (KEY[20] === 'x' ? 'y' : 'x') + KEY.slice(21);
const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzaWQiOiJhIn0.c2lnbmF0dXJl';

describe('what is said of credentials', () => {
  it.each([
    ['none', [], /^no API key was sent: send the API key as x-service-key: <key>/],
    ['a key in another header', ['X-Api-Key', KEY], /^x-api-key is not read: .*x-service-key/],
    ['a key without Bearer', ['Authorization', KEY], /without "Bearer"/],
    ['another scheme', ['Authorization', 'Basic YTpi'], /is not "Bearer <key>"/],
    ['an empty key', ['x-service-key', ''], /^x-service-key is empty/],
    ['two keys', ['x-service-key', KEY, 'x-service-key', KEY], /^x-service-key was sent twice/],
    ['two bearer tokens', ['authorization', 'Bearer a', 'authorization', 'Bearer b'], /^Authorization was sent twice/],
    ['a session token', ['Authorization', `Bearer ${TOKEN}`], /^a session token was sent/],
    ['a session token as key', ['x-service-key', TOKEN], /^a session token was sent/],
    ['a key of another service', ['x-service-key', 'sk-live-1234'], /begins with csn_live_/],
    ['a key that was cut', ['x-service-key', KEY.slice(0, 30)], /30 characters instead of 49/],
    ['a typo', ['x-service-key', TYPO], /a typo: its checksum does not match/],
    ['a typo as bearer token', ['Authorization', `Bearer ${TYPO}`], /a typo/],
    ['a key that nothing is known of', ['x-service-key', KEY], /^there is no such API key here/],
  ])('%s', (_case, headers, words) => {
    const said = apiKeyProblem(headers);
    expect(said).toMatch(words);
    expect(said).not.toContain(KEY.slice(9, 25));
  });

  it('is that a key was revoked, or has expired, and when', () => {
    const now = Date.UTC(2026, 2, 1);
    const at = '2026-03-01T00:00:00.000Z';
    expect(endedKeyProblem({ revokedAt: null }, now)).toBeNull();
    expect(endedKeyProblem({ revokedAt: null, expiresAt: at }, now - 1)).toBeNull();
    expect(endedKeyProblem({ revokedAt: null, expiresAt: at }, now)).toMatch(`expired at ${at}`);
    expect(endedKeyProblem({ revokedAt: null, expiresAt: 'never' }, now)).toMatch('expired');
    expect(endedKeyProblem({ revokedAt: at, expiresAt: at }, now)).toMatch(`revoked at ${at}`);
  });

  it.each([
    ['none', [], /^no session was sent/],
    ['an API key', ['x-service-key', KEY], /^an API key is not accepted on this route/],
    ['an API key as bearer token', ['Authorization', `Bearer ${KEY}`], /^an API key is not accepted/],
    ['a session that has ended', ['Authorization', `Bearer ${TOKEN}`], /^the session is not known, or it has ended/],
  ])('of a session: %s', (_case, headers, words) => {
    expect(sessionProblem(headers)).toMatch(words);
  });
});

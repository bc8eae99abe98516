import { randomUUID as uuidV4 } from 'node:crypto';
import type { Session, User } from '../domain/members.js';

/** How long a session lasts. */
export const SESSION_MS = 12 * 3600 * 1000;

/** A session of a user. It expires on a whole second, like a token's `exp`. @param nowMs wall clock */
export function newSession(user: User, nowMs: number, id: string = uuidV4()): Session {
  const expiresAt = new Date(Math.floor((nowMs + SESSION_MS) / 1000) * 1000).toISOString();
  const { accountId, id: userId, email, role } = user;
  return { id, version: 1, facts: { accountId, userId, email, role, expiresAt, revokedAt: null } };
}

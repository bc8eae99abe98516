import { createHmac } from 'node:crypto';
import type { Answer, Running } from './service.test-context.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The code of RFC 6238 at a time, ms. @param secret in base32 */
export function codeAt(secret: string, atMs: number): string {
  const bits = [...secret].map((one) => ALPHABET.indexOf(one).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g)!.map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(atMs / 30_000)));
  const mac = createHmac('sha1', key).update(counter).digest();
  const at = mac[19]! & 0xf;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** A user of the first account with a second factor. */
export interface FactorUser {
  readonly id: string;
  readonly email: string;
  readonly session: string;
  readonly recoveryCodes: readonly string[];
  /** A code that no request has used: each has a step of its own, and the clock of the service moves along. */
  code(): string;
}

export const PASSWORD = 'a password that is long enough';

/** Advances the clock of a service by one step of codes, and says the time. */
export function nextStep(service: Running, clock: { ms: number }): number {
  service.advance(30_000);
  clock.ms += 30_000;
  return Date.now() + clock.ms;
}

export async function addUser(service: Running, admin: string, email: string, role = 'member'): Promise<string> {
  const { body } = await service.ask('POST', '/v1/users', { email, role, password: PASSWORD }, admin);
  return body.id as string;
}

export function logIn(service: Running, email: string, password = PASSWORD): Promise<Answer> {
  return service.ask('POST', '/v1/auth/login', { email, password });
}

/** Adds a user who enrols. @param clock time by which the clock of the service is ahead */
export async function addFactorUser(
  service: Running,
  admin: string,
  email: string,
  clock: { ms: number },
): Promise<FactorUser> {
  const id = await addUser(service, admin, email);
  const session = (await logIn(service, email)).body.token as string;
  const begun = await service.ask('POST', '/v1/second-factor/enrolment', { password: PASSWORD }, session);
  const { secret, enrolment } = begun.body as { secret: string; enrolment: string };
  const code = codeAt(secret, nextStep(service, clock));
  const { body } = await service.ask('POST', '/v1/second-factor', { enrolment, code }, session);
  return {
    id,
    email,
    session,
    recoveryCodes: body.recoveryCodes,
    code: () => codeAt(secret, nextStep(service, clock)),
  };
}

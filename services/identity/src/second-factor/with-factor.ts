import { HttpRefusal } from '@countersign/http-edge';
import type { User } from '../domain/members.js';
import { MOST_WRONG_IN_A_ROW } from '../domain/second-factor.js';
import type { SecondFactor } from '../domain/second-factor.js';
import type { Publication } from '../publication.js';
import type { IdentityStore } from '../store/port.js';

/** The user with this second factor. @param factor `null`: with none */
export function withFactor({ secondFactor: _before, ...user }: User, factor: SecondFactor | null): User {
  return { ...user, version: user.version + 1, ...(factor === null ? {} : { secondFactor: factor }) };
}

/** @throws HttpRefusal 403 after too many wrong codes in a row */
export function refuseExhausted({ wrongInARow = 0 }: SecondFactor): void {
  if (wrongInARow < MOST_WRONG_IN_A_ROW) return;
  throw new HttpRefusal(
    403,
    `${MOST_WRONG_IN_A_ROW} wrong codes in a row: your password may be known. Set a new one by a link, or ask an admin to reset your second factor`,
  );
}

/** Counts a wrong code of a user. */
export async function countWrong(publication: Publication, store: IdentityStore, userId: string): Promise<void> {
  await publication.change(async () => {
    const user = await store.user(userId);
    if (user?.secondFactor === undefined) return null;
    const wrongInARow = (user.secondFactor.wrongInARow ?? 0) + 1;
    if (wrongInARow > MOST_WRONG_IN_A_ROW) return null;
    return { users: [withFactor(user, { ...user.secondFactor, wrongInARow })] };
  });
}

import { HttpRefusal } from '@countersign/http-edge';
import type { ContentHeld } from './erasure-gate.js';

const NAMED = 3;

/** The answer to an erasure by hand of content that is held: names the holds, and says what to do. */
export function heldRefusal({ holds }: ContentHeld): HttpRefusal {
  const named = holds.slice(0, NAMED).map(({ name, id }) => `"${name}" (${id})`);
  const more = holds.length > NAMED ? [`${holds.length - NAMED} more`] : [];
  const [first, rest] = holds.length === 1 ? ['the hold', 'it is'] : ['these holds', 'they are'];
  return new HttpRefusal(
    409,
    `the content is held by ${[...named, ...more].join(', ')}, so it is not erased: release ${first} first (POST /v1/legal-holds/{id}/release), or wait until ${rest} released`,
  );
}

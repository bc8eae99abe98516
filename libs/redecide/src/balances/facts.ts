import { isOwnFact } from '@countersign/policy-engine';
import type { CountedCheck } from './counted-check.js';

interface Setting {
  readonly expiresAtMs: number;
  readonly doubtful: boolean;
}

/** Facts of one agent, as its checks set them. */
export class Facts {
  readonly #settings = new Map<string, Setting[]>();

  /** The ids of facts of a check that are, or are not, set otherwise than the checks before it say. */
  compare(check: CountedCheck, unknown: boolean): readonly { readonly id: string; readonly isSet: boolean }[] {
    const { trip, context, atMs } = check;
    const seen = new Set(context.facts ?? []);
    const wrong: { id: string; isSet: boolean }[] = [];
    for (const [index, { id }] of (trip?.facts ?? []).entries()) {
      if (!isOwnFact(id)) continue;
      const also = (trip?.also ?? []).filter(({ fact }) => fact === index).map(({ where }) => where);
      const settings = [index, ...also].flatMap((place) => this.#at(check, place));
      const holding = settings.filter(({ expiresAtMs }) => expiresAtMs > atMs);
      const isSet = seen.has(id);
      if (isSet ? holding.length === 0 && !unknown : holding.some(({ doubtful }) => !doubtful))
        wrong.push({ id, isSet });
    }
    return wrong;
  }

  add(check: CountedCheck): void {
    if (!check.countsAction) return;
    for (const { fact, ttlSeconds, on } of check.trip?.sets ?? []) {
      if (!check.allowed && on === 'allowed') continue;
      const name = nameOf(check, fact);
      const settings = (this.#settings.get(name) ?? []).filter(({ expiresAtMs }) => expiresAtMs > check.atMs);
      settings.push({ expiresAtMs: check.atMs + ttlSeconds * 1000, doubtful: check.unanswered });
      this.#settings.set(name, settings);
    }
  }

  #at(check: CountedCheck, place: number): readonly Setting[] {
    return this.#settings.get(nameOf(check, place)) ?? [];
  }
}

function nameOf({ trip }: CountedCheck, place: number): string {
  const { id, key } = trip!.facts[place]!;
  return `${key} ${id}`;
}

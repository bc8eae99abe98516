/** Names of members that are remembered of one profile, and how long one may be: a gateway holds 100,000 profiles. */
const MOST = 128;
const LONGEST = 64;

/**
 * Names of members that one profile's output rules have read and found nothing in. Payloads of one kind repeat their
 * names, so most are read once; once full, it begins anew.
 */
export class CleanNames {
  readonly #names = new Set<string>();

  has(name: string): boolean {
    return this.#names.has(name);
  }

  add(name: string): void {
    if (name.length > LONGEST) return;
    if (this.#names.size === MOST) this.#names.clear();
    this.#names.add(name);
  }
}

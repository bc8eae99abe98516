/** Maximum `max` of a rate limit; times older than that many newest ones never decide. */
const MOST = 100_000;
const SMALLEST = 16;

/** Times of counted checks in ascending order, in a ring: both ends in O(1), at most the 100,000 newest. */
export class RateWindow {
  #ring = new Float64Array(SMALLEST);
  #head = 0;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get newest(): number {
    return this.#count === 0 ? -Infinity : this.at(this.#count - 1);
  }

  /** The time at `index`, oldest first. */
  at(index: number): number {
    return this.#ring[(this.#head + index) & (this.#ring.length - 1)] ?? NaN;
  }

  add(time: number): void {
    if (this.#count === MOST) this.#dropOldest();
    if (this.#count === this.#ring.length) this.#resize(this.#ring.length * 2);
    let index = this.#count++;
    for (; index > 0 && this.at(index - 1) > time; index--) this.#set(index, this.at(index - 1));
    this.#set(index, time);
  }

  /** Drops times that are `windowMs` old or older. */
  trim(nowMs: number, windowMs: number): void {
    while (this.#count > 0 && nowMs - this.at(0) >= windowMs) this.#dropOldest();
    if (this.#ring.length > SMALLEST && this.#count < this.#ring.length / 8) this.#resize(this.#ring.length / 2);
  }

  /** Removes one entry of exactly this time, if there is one. */
  remove(time: number): void {
    let index = this.#count - 1;
    while (index >= 0 && this.at(index) > time) index--;
    if (index < 0 || this.at(index) !== time) return;
    for (; index < this.#count - 1; index++) this.#set(index, this.at(index + 1));
    this.#count--;
  }

  #set(index: number, time: number): void {
    this.#ring[(this.#head + index) & (this.#ring.length - 1)] = time;
  }

  #dropOldest(): void {
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.#count--;
  }

  #resize(size: number): void {
    const ring = new Float64Array(size);
    for (let index = 0; index < this.#count; index++) ring[index] = this.at(index);
    this.#ring = ring;
    this.#head = 0;
  }
}

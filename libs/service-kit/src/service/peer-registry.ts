import type { Peers } from './definition.js';

type Name = keyof Peers;

/** Gives the peer of another process, or `null` where this process has the service that offers it. */
export type Elsewhere = <K extends Name>(name: K) => Promise<Peers[K]> | null;

/** As {@link Elsewhere}, without a look whether it can be reached. */
export type ElsewhereNow = <K extends Name>(name: K) => Peers[K] | null;

/** What services offer each other, in this process or, by `elsewhere`, in another. */
export class PeerRegistry {
  readonly #offers = new Map<Name, PromiseWithResolve>();
  readonly #elsewhere: Elsewhere;
  readonly #elsewhereNow: ElsewhereNow;

  constructor(elsewhere: Elsewhere = () => null, elsewhereNow: ElsewhereNow = () => null) {
    this.#elsewhere = elsewhere;
    this.#elsewhereNow = elsewhereNow;
  }

  /** @throws when it is offered twice */
  provide<K extends Name>(name: K, peer: Peers[K]): void {
    const offer = this.#offer(name);
    if (offer.provided !== null) throw new Error(`${name} is provided twice`);
    offer.provided = peer;
    offer.resolve(peer);
  }

  /** Resolves when it is provided here, or reached elsewhere. */
  peer<K extends Name>(name: K): Promise<Peers[K]> {
    return this.#elsewhere(name) ?? (this.#offer(name).promise as Promise<Peers[K]>);
  }

  /** What this process has provided by now, or the peer of another process whether or not it answers; else `null`. */
  peerNow<K extends Name>(name: K): Peers[K] | null {
    return this.#elsewhereNow(name) ?? this.provided(name);
  }

  /** What a service of this process has provided; `null`: nothing yet. */
  provided<K extends Name>(name: K): Peers[K] | null {
    return (this.#offers.get(name)?.provided ?? null) as Peers[K] | null;
  }

  #offer(name: Name): PromiseWithResolve {
    const present = this.#offers.get(name);
    if (present !== undefined) return present;
    let resolve: (value: unknown) => void = () => undefined;
    const promise = new Promise<unknown>((settle) => {
      resolve = settle;
    });
    const offer: PromiseWithResolve = { promise, resolve, provided: null };
    this.#offers.set(name, offer);
    return offer;
  }
}

interface PromiseWithResolve {
  readonly promise: Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  provided: unknown;
}

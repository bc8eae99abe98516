import type { Peers } from './definition.js';

type Name = keyof Peers;

/** Finds a peer in another process; `null` if a service of this process offers it. */
export type Elsewhere = <K extends Name>(name: K) => Promise<Peers[K]> | null;

/** As {@link Elsewhere}, without waiting until it can be reached. */
export type ElsewhereNow = <K extends Name>(name: K) => Peers[K] | null;

/** Peers that services offer each other, in this process or, by `elsewhere`, in another. */
export class PeerRegistry {
  readonly #offers = new Map<Name, PromiseWithResolve>();
  readonly #elsewhere: Elsewhere;
  readonly #elsewhereNow: ElsewhereNow;

  constructor(elsewhere: Elsewhere = () => null, elsewhereNow: ElsewhereNow = () => null) {
    this.#elsewhere = elsewhere;
    this.#elsewhereNow = elsewhereNow;
  }

  /** @throws if it is provided twice */
  provide<K extends Name>(name: K, peer: Peers[K]): void {
    const offer = this.#offer(name);
    if (offer.provided !== null) throw new Error(`${name} is provided twice`);
    offer.provided = peer;
    offer.resolve(peer);
  }

  /** Resolves when it is provided here, or reachable elsewhere. */
  peer<K extends Name>(name: K): Promise<Peers[K]> {
    return this.#elsewhere(name) ?? (this.#offer(name).promise as Promise<Peers[K]>);
  }

  /** The peer in another process, reachable or not, or what is provided here; `null`: nothing yet. */
  peerNow<K extends Name>(name: K): Peers[K] | null {
    return this.#elsewhereNow(name) ?? this.provided(name);
  }

  /** The peer that a service of this process has provided; `null`: none yet. */
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

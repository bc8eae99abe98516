import type { Neighbours } from './definition.js';

type Name = keyof Neighbours;

/** What services of one thread offer each other. */
export class Neighbourhood {
  readonly #offers = new Map<Name, PromiseWithResolve>();

  /** @throws when it is offered twice */
  provide<K extends Name>(name: K, neighbour: Neighbours[K]): void {
    const offer = this.#offer(name);
    if (offer.provided) throw new Error(`${name} is provided twice`);
    offer.provided = true;
    offer.resolve(neighbour);
  }

  /** Resolves when it is provided. */
  neighbour<K extends Name>(name: K): Promise<Neighbours[K]> {
    return this.#offer(name).promise as Promise<Neighbours[K]>;
  }

  #offer(name: Name): PromiseWithResolve {
    const present = this.#offers.get(name);
    if (present !== undefined) return present;
    let resolve: (value: unknown) => void = () => undefined;
    const promise = new Promise<unknown>((settle) => {
      resolve = settle;
    });
    const offer: PromiseWithResolve = { promise, resolve, provided: false };
    this.#offers.set(name, offer);
    return offer;
  }
}

interface PromiseWithResolve {
  readonly promise: Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  provided: boolean;
}

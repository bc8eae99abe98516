import { messageOf } from '@countersign/async';
import type { EventLog } from '@countersign/event-log';
import { readRing, writeRing, type StoredRing } from './ring-file.js';
import type { Ring } from './ring.js';
import { keysToPublish, publishedKeys } from './publish-keys.js';

/** A change that stands, and that the topic was not told of yet. */
class ChangeUntold extends Error {
  override readonly name = 'ChangeUntold';
}

/**
 * The ring in the folder, and its public half in the topic. The folder decides: a change is one file there, which one
 * instance alone can make, and is told to the topic afterwards, by whoever sees it first.
 */
export class Keyring {
  /** Number of the newest ring that the topic was told of. */
  #told = 0;

  constructor(
    readonly directory: string,
    readonly eventLog: EventLog,
    readonly clock: () => number,
  ) {}

  read(): Promise<StoredRing> {
    return readRing(this.directory);
  }

  /**
   * Makes a change, durable and told to the topic once it resolves. `next` is asked again where another instance changed
   * the ring meanwhile; what it throws changes nothing.
   * @throws ChangeUntold where it stands and could not be told: whoever looks next tells it
   */
  async change(next: (keys: Ring) => Ring): Promise<Ring> {
    for (;;) {
      const before = await this.read();
      const keys = next(before.keys);
      const at = new Date(this.clock()).toISOString();
      const after = keys === before.keys ? before : await writeRing(this.directory, before, keys, at);
      if (after === null) continue;
      await this.publish(after).catch((error: unknown) => {
        const why = messageOf(error);
        throw new ChangeUntold(`the change is made; verifiers are told of it once the log can be written: ${why}`);
      });
      return after.keys;
    }
  }

  /** Makes the topic say what the ring does. Nothing is sent where it was told before, or says something newer. */
  async publish(ring: StoredRing): Promise<void> {
    if (ring.number <= this.#told) return;
    const records = keysToPublish(ring.keys, await publishedKeys(this.eventLog));
    if (records.length > 0) await this.eventLog.append(records);
    this.#told = Math.max(this.#told, ring.number);
  }
}

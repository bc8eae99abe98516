import { messageOf } from '@countersign/async';
import type { EventLog } from '@countersign/event-log';
import { readRing, writeRing, type StoredRing } from './ring-file.js';
import type { Ring } from './ring.js';
import { keysToPublish, publishedKeys } from './publish-keys.js';

/** A durable change that has not been published to the topic. */
class ChangeUnpublished extends Error {
  override readonly name = 'ChangeUnpublished';
}

/**
 * The ring in the folder, and its public half in the topic. The folder is authoritative: a change is one file there, which
 * only one instance can create; afterwards the first instance that sees it publishes it to the topic.
 */
export class Keyring {
  /** Number of the newest ring that was published. */
  #published = 0;

  constructor(
    readonly directory: string,
    readonly eventLog: EventLog,
    readonly clock: () => number,
  ) {}

  read(): Promise<StoredRing> {
    return readRing(this.directory);
  }

  /**
   * Makes a change, durable and published once it resolves. `next` is called again if another instance changed
   * the ring meanwhile; an error of it changes nothing.
   * @throws ChangeUnpublished if it is durable and could not be published: the next reader publishes it
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
        throw new ChangeUnpublished(`the change is made; it is published once the log can be written: ${why}`);
      });
      return after.keys;
    }
  }

  /** Publishes the ring to the topic. Nothing is sent if it was published before, or the topic has something newer. */
  async publish(ring: StoredRing): Promise<void> {
    if (ring.number <= this.#published) return;
    const records = keysToPublish(ring.keys, await publishedKeys(this.eventLog));
    if (records.length > 0) await this.eventLog.append(records);
    this.#published = Math.max(this.#published, ring.number);
  }
}

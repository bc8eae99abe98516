import { oncePerTick } from '@countersign/async';
import { Command } from 'ioredis';
import type { Redis } from 'ioredis';

/**
 * Writes the script calls of one turn of the event loop to the connection at once, in their order. ioredis's own
 * pipelining does that as well, but costs a third of what a call costs here and keeps calls back while others wait.
 */
export class TurnBatch {
  readonly #redis: Redis;
  readonly #flushSoon = oncePerTick(() => this.#flush());
  #commands: Command[] = [];

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Rejects as ioredis does, also when there is no connection at the end of the turn. */
  evalsha(sha1: string, parts: readonly (string | number)[]): Promise<unknown> {
    const command = new Command('evalsha', [sha1, ...parts], { replyEncoding: 'utf8' });
    this.#commands.push(command);
    this.#flushSoon();
    return command.promise;
  }

  #flush(): void {
    const commands = this.#commands;
    this.#commands = [];
    const { stream } = this.#redis;
    let text = '';
    // Taken while the connection writes: what it refuses is rejected and writes nothing.
    const sink = { writable: true, write: (piece: string) => (text += piece) };
    for (const command of commands) {
      void Promise.resolve(this.#redis.sendCommand(command, sink as never)).catch(() => undefined);
    }
    if (text !== '') stream.write(text);
  }
}

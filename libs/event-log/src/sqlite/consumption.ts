import type { Consumption, ConsumeOptions } from '../port.js';
import { PartitionFollower } from './partition-follower.js';
import type { LogReader } from './reader.js';
import type { WriterClient } from './writer-client.js';

/** Follows every topic of the options; resolves when this member's partitions are known. */
export async function startConsumption(
  options: ConsumeOptions,
  reader: LogReader,
  client: WriterClient,
): Promise<Consumption> {
  const followers = options.topics.map((topic) => new PartitionFollower(topic, options, reader, client));
  const leave: (() => void)[] = [];
  let stopped: Promise<void> | null = null;
  const stop = () => {
    stopped ??= Promise.all(followers.map((follower) => follower.stop())).then(() => {
      for (const one of leave) one();
    });
    return stopped;
  };
  try {
    await Promise.all(
      followers.map(async (follower, index) => {
        if (options.mode === 'everyone') return follower.start();
        const partition = `${options.group} ${options.topics[index] ?? ''}/0`;
        const mine = await new Promise<boolean>((resolve) => {
          let answered = false;
          leave.push(
            client.join(partition, (assigned) => {
              if (answered && assigned) void follower.startOver();
              answered = true;
              resolve(assigned);
            }),
          );
        });
        if (mine) await follower.start();
      }),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    stop,
    stalled: () => followers.map((follower) => follower.stalled()).find((problem) => problem !== null) ?? null,
    lag: () => Object.fromEntries(followers.map((follower, index) => [`${options.topics[index]}/0`, follower.lag()])),
    async caughtUp() {
      await Promise.all(followers.map((follower) => follower.caughtUp()));
    },
  };
}

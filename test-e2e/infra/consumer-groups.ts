import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';

const EMPTY_WITHIN_MS = 20_000;
const ASK_EVERY_MS = 250;

/**
 * Deletes the consumer groups with this name prefix, with all committed offsets, and returns their names.
 * Waits for members that have not left yet.
 */
export async function deleteGroups(brokers: string, prefix: string): Promise<readonly string[]> {
  const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  try {
    const { groups } = await admin.listGroups();
    const names = groups.map(({ groupId }) => groupId).filter((name) => name.startsWith(prefix));
    let left = names;
    for (const until = Date.now() + EMPTY_WITHIN_MS; left.length > 0; await sleep(ASK_EVERY_MS)) {
      await admin.deleteGroups(left).catch((error: unknown) => {
        if (Date.now() > until) throw error;
      });
      const { groups: found } = await admin.listGroups();
      left = names.filter((name) => found.some(({ groupId }) => groupId === name));
    }
    return names;
  } finally {
    await admin.disconnect();
  }
}

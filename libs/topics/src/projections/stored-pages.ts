import type { TopicName } from '@countersign/contracts';
import type { EventReader, LogRecord } from '@countersign/event-log';

const PAGE = 1000;

/** Reads a topic up to its present end, page by page, each partition in the order of its log. */
export async function* storedPages(
  log: Pick<EventReader, 'beginOffsets' | 'endOffsets' | 'read'>,
  topic: TopicName,
): AsyncGenerator<readonly LogRecord[], void, undefined> {
  const [begin, end] = await Promise.all([log.beginOffsets(topic), log.endOffsets(topic)]);
  for (const [partition, from] of Object.entries(begin)) {
    const until = end[Number(partition)] ?? from;
    for (let offset = from; offset < until;) {
      const records = await log.read(topic, Number(partition), offset, PAGE);
      const last = records.at(-1);
      if (last === undefined) break;
      yield records;
      offset = last.offset + 1;
    }
  }
}

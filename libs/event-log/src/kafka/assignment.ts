/** Partitions by topic, by the topics' names at the brokers. */
export type Assignment = ReadonlyMap<string, readonly number[]>;

/**
 * Distributes the partitions of each topic to the members that want it, evenly over all topics; independent of the
 * order of the arguments.
 */
export function dealOut(
  subscriptions: ReadonlyMap<string, readonly string[]>,
  partitions: (topic: string) => number,
): Map<string, Map<string, number[]>> {
  const members = [...subscriptions.keys()].sort();
  const dealt = new Map(members.map((member) => [member, new Map<string, number[]>()]));
  const topics = [...new Set([...subscriptions.values()].flat())].sort();
  const loads = new Map(members.map((member) => [member, 0]));
  for (const topic of topics) {
    const wanting = members.filter((member) => subscriptions.get(member)?.includes(topic));
    for (let partition = 0; partition < partitions(topic); partition++) {
      const member = wanting.reduce((least, one) => (loads.get(one)! < loads.get(least)! ? one : least));
      loads.set(member, loads.get(member)! + 1);
      const assignment = dealt.get(member)!;
      assignment.set(topic, [...(assignment.get(topic) ?? []), partition]);
    }
  }
  return dealt;
}

/** In the format of Kafka's consumer protocol: version, topics, no user data. */
export function writeSubscription(topics: readonly string[]): Buffer {
  return Buffer.concat([int16(0), int32(topics.length), ...topics.map(text), int32(-1)]);
}

export function readSubscription(bytes: Buffer): string[] {
  const read = reader(bytes);
  return Array.from({ length: read.int32() }, () => read.text());
}

export function writeAssignment(assignment: Assignment): Buffer {
  const topics = [...assignment].map(([topic, partitions]) =>
    Buffer.concat([text(topic), int32(partitions.length), ...partitions.map(int32)]),
  );
  return Buffer.concat([int16(0), int32(topics.length), ...topics, int32(-1)]);
}

/** No bytes mean no partitions. */
export function readAssignment(bytes: Buffer | null): Assignment {
  if (bytes === null || bytes.length === 0) return new Map();
  const read = reader(bytes);
  return new Map(
    Array.from({ length: read.int32() }, () => {
      const topic = read.text();
      return [topic, Array.from({ length: read.int32() }, () => read.int32())];
    }),
  );
}

function reader(bytes: Buffer) {
  let at = 2;
  const int32Of = () => bytes.readInt32BE((at += 4) - 4);
  return {
    int32: int32Of,
    text() {
      const length = bytes.readInt16BE((at += 2) - 2);
      return bytes.toString('utf8', at, (at += length));
    },
  };
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.concat([int16(Buffer.byteLength(value)), Buffer.from(value)]);
}

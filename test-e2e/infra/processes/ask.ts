import { connect } from 'node:net';

/** Sends bytes to a local port and returns the first answer; rejects within two seconds. */
export function ask(port: number, bytes: Uint8Array, least = 1): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const chunks: Buffer[] = [];
    socket.setTimeout(2000, () => socket.destroy(new Error('no answer')));
    socket.once('connect', () => socket.write(bytes));
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      const all = Buffer.concat(chunks);
      if (all.length < least) return;
      resolve(all);
      socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed without an answer')));
  });
}

/** True if a process listens there, whether or not it answers requests. */
export function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const said = (there: boolean) => () => {
      socket.destroy();
      resolve(there);
    };
    socket.setTimeout(2000, said(false));
    socket.once('connect', said(true));
    socket.once('error', said(false));
  });
}

/** Kafka's Metadata request, version 4, without topics: the number of available brokers of the cluster. */
export async function kafkaBrokers(port: number): Promise<number> {
  const body = Buffer.from([
    ...[0, 3, 0, 4], // key and version
    ...[0, 0, 0, 1], // correlation id
    ...[0xff, 0xff], // no client id
    ...[0, 0, 0, 0], // no topics
    0, // create none
  ]);
  const size = Buffer.alloc(4);
  size.writeInt32BE(body.length);
  // Size, correlation id, throttle time, and the length of the list of brokers.
  const answer = await ask(port, Buffer.concat([size, body]), 16);
  return answer.readInt32BE(12);
}

export async function redisAnswers(port: number): Promise<boolean> {
  return (await ask(port, Buffer.from('PING\r\n'), 5)).toString('latin1').startsWith('+PONG');
}

/** MongoDB's `{hello: 1, $db: 'admin'}` in an OP_MSG: answered by any reply in the same protocol. */
export async function mongoAnswers(port: number): Promise<boolean> {
  const fields = Buffer.concat([
    Buffer.from('\x10hello\0\x01\0\0\0', 'latin1'),
    Buffer.from('\x02$db\0\x06\0\0\0admin\0', 'latin1'),
    Buffer.from([0]),
  ]);
  const document = Buffer.alloc(4 + fields.length);
  document.writeInt32LE(document.length);
  fields.copy(document, 4);
  const message = Buffer.alloc(21 + document.length);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(1, 4);
  message.writeInt32LE(2013, 12);
  document.copy(message, 21);
  return (await ask(port, message, 16)).readInt32LE(12) === 2013;
}

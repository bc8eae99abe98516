import { connect } from 'node:net';

export interface RawAnswer {
  /** Statuses of all answers on the connection, in order. */
  readonly statuses: readonly number[];
  readonly text: string;
  /** The other side closed the connection. */
  readonly closed: boolean;
}

const STATUS_LINE = /(?:^|\r\n\r\n|[}\]"\w])HTTP\/1\.1 (\d{3}) /g;

/** Silence after which this side ends as well, ms: before the first byte, and once an answer has begun. */
const SILENCE = { first: 1500, next: 100 } as const;

/** Sends bytes unchanged, and collects the answers until the connection ends. */
export function sendBytes(baseUrl: string, bytes: string | Uint8Array, withinMs = 20_000): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    const settle = (closed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      const text = Buffer.concat(chunks).toString('latin1');
      resolve({ statuses: [...text.matchAll(STATUS_LINE)].map(([, status]) => Number(status)), text, closed });
    };
    const timer = setTimeout(() => settle(false), withinMs);
    socket.setTimeout(SILENCE.first, () => socket.end());
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      socket.setTimeout(SILENCE.next);
    });
    socket.on('close', () => settle(true));
    // A reset ends the connection as well.
    socket.on('error', () => undefined);
    socket.write(bytes);
  });
}

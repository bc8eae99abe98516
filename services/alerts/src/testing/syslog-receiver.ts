import { createServer, type Server, type TLSSocket, type TlsOptions } from 'node:tls';
import type { AddressInfo, Socket } from 'node:net';

/** A message of RFC 5424, by its grammar (section 6). */
export interface SyslogMessage {
  readonly priority: number;
  readonly time: string;
  readonly host: string;
  readonly app: string;
  readonly type: string;
  readonly data: string;
  /** Without the mark in front of a text that is not ASCII. */
  readonly text: string;
  readonly bytes: number;
}

const MESSAGE =
  /^<(?<priority>\d{1,3})>1 (?<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (?<host>[!-~]{1,255}) (?<app>[!-~]{1,48}) (?<process>[!-~]{1,128}) (?<type>[!-~]{1,32}) (?<data>-|(?:\[[^\]\\]*(?:\\.[^\]\\]*)*\])+) (?<text>[^]*)$/;

/** Reads frames of RFC 5425, section 4.3. @throws Error for what is no frame, or no message */
export function readFrames(bytes: Buffer): readonly SyslogMessage[] {
  const messages: SyslogMessage[] = [];
  for (let at = 0; at < bytes.length;) {
    const blank = bytes.indexOf(' ', at);
    const length = bytes.subarray(at, blank).toString('latin1');
    if (!/^[1-9]\d{0,6}$/.test(length)) throw new Error(`no length of a frame: ${length.slice(0, 20)}`);
    const end = blank + 1 + Number(length);
    if (end > bytes.length) throw new Error('a frame that ends too early');
    messages.push(readMessage(bytes.subarray(blank + 1, end)));
    at = end;
  }
  return messages;
}

function readMessage(bytes: Buffer): SyslogMessage {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  const found = MESSAGE.exec(text)?.groups;
  if (found === undefined) throw new Error(`no message: ${text.slice(0, 200)}`);
  const { time = '', host = '', app = '', type = '', data = '' } = found;
  const plain = found['text']!.replace(/^\ufeff/, '');
  if (/[^\x00-\x7f]/.test(plain) && plain === found['text']) throw new Error('a text of UTF-8 without its mark');
  return { priority: Number(found['priority']), time, host, app, type, data, text: plain, bytes: bytes.length };
}

/** A receiver of syslog over TLS. It keeps what it has read once the sender has closed the connection. */
export class SyslogReceiver {
  readonly messages: SyslogMessage[] = [];
  /** Handles a connection; the default reads it to its end, and closes it. */
  behave: (socket: TLSSocket, read: () => void) => void = (_socket, read) => read();
  connections = 0;
  #server: Server | null = null;
  #port = 0;
  readonly #open = new Set<Socket>();

  /** @param options certificate and key of the server */
  constructor(private readonly options: TlsOptions) {}

  /** `host:port` */
  get host(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** Listens, at the same port as before. */
  async start(): Promise<void> {
    const server = createServer({ ...this.options, allowHalfOpen: true }, (socket) => {
      this.connections += 1;
      socket.on('error', () => undefined);
      this.behave(socket, () => this.#read(socket));
    });
    server.on('tlsClientError', () => undefined);
    // Below TLS: also of those whose handshake fails.
    server.on('connection', (socket: Socket) => {
      this.#open.add(socket);
      socket.on('close', () => this.#open.delete(socket));
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Breaks all connections, also in the middle of a message. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }

  #read(socket: TLSSocket): void {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => {
      this.messages.push(...readFrames(Buffer.concat(chunks)));
      socket.end();
    });
  }
}

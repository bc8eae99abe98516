import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { checkedAddress, pinned, type Address, type OutboundNetwork } from './checked-address.js';
import { connectionProblem } from './connection-problem.js';
import { hostOf } from './public-url.js';
import { asHttps, readTlsAddress } from './tls-address.js';

/** In PEM. */
export interface TlsIdentity {
  /** Authorities that are trusted, instead of those of Node.js. */
  readonly ca?: string;
  /** Certificate of the client, with the chain to its authority, and its key. */
  readonly cert?: string;
  readonly key?: string;
}

/**
 * Sends bytes over a TLS connection of their own to a receiver that sends none, and closes it by `close_notify` (RFC 5425,
 * section 4.4). Certificate and name of the receiver are verified. The name is resolved once; if any of its addresses is not
 * public, nothing is sent. Never rejects.
 * @param destination `tls://host:port`
 * @returns `null` if the receiver closed the connection in answer to `close_notify`; else why it is not known to have all.
 *   Between the bytes and `close_notify` is a pause, in which a receiver that refuses them closes first. One that closes by
 *   itself after that cannot be distinguished from one that has read everything.
 */
export async function sendTls(
  destination: string,
  bytes: Uint8Array,
  identity: TlsIdentity,
  network: OutboundNetwork,
): Promise<string | null> {
  const read = readTlsAddress(destination, network.allowedHosts);
  if ('problem' in read) return read.problem;
  const url = asHttps(read.url);
  const checked = await checkedAddress(url, network);
  if ('problem' in checked) return checked.problem;
  const receiver = { host: hostOf(url), port: Number(read.url.port), address: checked.address };
  try {
    return await send(receiver, bytes, identity, network.timeoutMs);
  } catch {
    // OpenSSL takes the identity when the connection is made.
    return 'the certificates or the key cannot be used';
  }
}

/** Longer than it takes a refusal to arrive: a handshake has two round trips and more. */
const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

function pauseAfter(handshakeMs: number): number {
  return Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, 2 * handshakeMs));
}

interface Receiver {
  readonly host: string;
  readonly port: number;
  readonly address: Address;
}

function send(
  { host, port, address }: Receiver,
  bytes: Uint8Array,
  identity: TlsIdentity,
  timeoutMs: number,
): Promise<string | null> {
  return new Promise((resolve) => {
    const begunMs = performance.now();
    const socket = connect({
      host,
      port,
      lookup: pinned(address),
      // SNI is for names: RFC 6066, section 3. The certificate is checked against the host either way.
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...identity,
      minVersion: 'TLSv1.2',
      // Not left to NODE_TLS_REJECT_UNAUTHORIZED.
      rejectUnauthorized: true,
    });
    let pause: NodeJS.Timeout | undefined;
    let isConnected = false;
    let isClosing = false;
    const settle = (problem: string | null): void => {
      clearTimeout(timer);
      clearTimeout(pause);
      resolve(problem);
      socket.destroy();
    };
    const timer = setTimeout(
      () => settle(isConnected ? 'the receiver did not close the connection in time' : 'no answer in time'),
      timeoutMs,
    );
    const close = (): void => {
      isClosing = true;
      socket.end();
    };
    socket.once('secureConnect', () => {
      isConnected = true;
      const pauseMs = pauseAfter(performance.now() - begunMs);
      socket.write(bytes, (error) => {
        if (error === null || error === undefined) pause = setTimeout(close, pauseMs);
      });
    });
    // A syslog receiver sends nothing: a server that does has not understood what it got.
    socket.once('data', () => settle('the receiver sent data, which a syslog receiver does not'));
    socket.once('end', () => settle(isClosing ? null : 'the receiver closed the connection before the batch was over'));
    socket.on('error', (error: Error) => settle(connectionProblem(error)));
    socket.once('close', () => settle('the connection was closed'));
  });
}

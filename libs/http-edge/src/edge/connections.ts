import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { placeOf } from './address-allowance.js';

/** Maximum number of connections of a server. */
export const MOST_CONNECTIONS = 8192;
/** Maximum number of connections of one address; the rest is left for all others. */
export const CONNECTIONS_OF_ADDRESS = (MOST_CONNECTIONS * 3) / 4;

/**
 * Refuses connections of an address that has `most` open, with 429; IPv6 counts as its /64.
 * @param withTls refused connections are ended before their handshake, without an answer
 */
export function boundConnections(server: Server, most: number, refused: () => void, withTls: boolean): void {
  const open = new Map<string, number>();
  server.prependListener('connection', (socket: Socket) => {
    const place = placeOf(socket.remoteAddress ?? '');
    const count = (open.get(place) ?? 0) + 1;
    open.set(place, count);
    socket.once('close', () => {
      const left = (open.get(place) ?? 1) - 1;
      if (left === 0) open.delete(place);
      else open.set(place, left);
    });
    if (count <= most) return;
    refused();
    if (withTls) {
      // The server attaches its handshake to the socket after this listener.
      process.nextTick(() => socket.destroy());
      return;
    }
    const body = JSON.stringify({ error: `this address has ${most} connections open, which is the most` });
    socket.write(
      'HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json; charset=utf-8\r\nretry-after: 1\r\n' +
        `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    );
    socket.destroySoon();
  });
}

import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

/** What is used here of the driver's class for one connection, below its public interface (mongodb 7.8.0). */
interface DriverConnection {
  readonly closed: boolean;
  readonly socket: Socket;
  cleanup: (this: DriverConnection, error: Error) => void;
}

let mended = false;

/**
 * Has an operation end with its connection. The driver destroys the socket of a connection that timed out without a
 * reason, and a write that waits for room in the socket's buffer never hears of that: an insert of some megabytes into a
 * server that stands still would wait for ever, whatever `socketTimeoutMS` says.
 */
export function mendDriver(): void {
  if (mended) return;
  mended = true;
  const { Connection } = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js') as {
    readonly Connection: { readonly prototype: DriverConnection };
  };
  const { prototype } = Connection;
  const { cleanup } = prototype;
  prototype.cleanup = function (this: DriverConnection, error: Error): void {
    if (!this.closed) this.socket.destroy(error);
    cleanup.call(this, error);
  };
}

import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

/** The used part of the driver's class for one connection, below its public interface (mongodb 7.8.0). */
interface DriverConnection {
  readonly closed: boolean;
  readonly socket: Socket;
  cleanup: (this: DriverConnection, error: Error) => void;
}

let mended = false;

/**
 * Ends an operation together with its connection. The driver destroys the socket of a connection that has timed out without
 * an error, and a write that waits for room in the socket's buffer does not notice: an insert of some megabytes would wait
 * for a blocked server without end, whatever `socketTimeoutMS` is.
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

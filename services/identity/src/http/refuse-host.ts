import { HttpRefusal } from '@countersign/http-edge';
import type { SessionCookieName } from '@countersign/http-edge';

/** For a host where no cookie of a session is issued. @throws HttpRefusal 400 */
export function refuseHost(publicUrl: string | null): SessionCookieName {
  const where =
    publicUrl?.startsWith('https://') === true
      ? `open the console at ${publicUrl}, or on this machine`
      : 'open the console on this machine, by http://127.0.0.1 or http://localhost, or set COUNTERSIGN_PUBLIC_URL to its https address';
  throw new HttpRefusal(400, `a browser would send the session in the clear to this host: ${where}`);
}

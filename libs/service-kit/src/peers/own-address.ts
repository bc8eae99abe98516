import { httpAddress } from '@countersign/http-edge';
import type { Config } from '@countersign/process';

const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::', '']);

/**
 * The address at which this process reaches its own routes: the public one may be reachable only for callers.
 * @param publicUrl `COUNTERSIGN_PUBLIC_URL`, otherwise the address in use
 */
export function ownAddress(
  config: Pick<Config, 'host' | 'port' | 'publicUrl' | 'tls'>,
  publicUrl: () => string,
): string {
  const { host, port, tls } = config;
  if (config.publicUrl === null || port === 0) return publicUrl();
  return httpAddress(EVERY_ADDRESS.has(host) ? '127.0.0.1' : host, port, tls !== null);
}

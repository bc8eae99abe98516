import type { Config } from '@countersign/process';

const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::', '']);

/**
 * Where this process reaches its own routes: what callers are told may be an address that only they reach.
 * @param publicUrl `COUNTERSIGN_PUBLIC_URL`, else the address in use
 */
export function ownAddress(config: Pick<Config, 'host' | 'port' | 'publicUrl'>, publicUrl: () => string): string {
  const { host, port } = config;
  if (config.publicUrl === null || port === 0) return publicUrl();
  const reached = EVERY_ADDRESS.has(host) ? '127.0.0.1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

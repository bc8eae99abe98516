import { ConfigurationError } from '../configuration/load-config.js';
import type { Config } from '../configuration/config.js';

/**
 * The distributed profile is configured in full, but this release has no adapters for its servers.
 * @throws ConfigurationError
 */
export function requireAdapters(config: Config): void {
  if (config.profile === 'distributed') {
    throw new ConfigurationError([
      'this release has no adapters for Kafka, MongoDB and Redis yet: set COUNTERSIGN_PROFILE=embedded',
    ]);
  }
}

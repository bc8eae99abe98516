import { ConfigurationError } from '@countersign/process';
import type { ServiceDefinition } from '@countersign/service-kit';

const GATEWAY = 'gateway';
/** In a possible start order. */
const FOLLOWERS = [
  'identity',
  'policy',
  'audit-log',
  'alerts',
  'anchoring',
  'reporting',
  'verification',
  'mcp',
  'console',
];
const NAMES = [...FOLLOWERS, GATEWAY];

const moduleOf = (name: string): string => `@countersign/${name}`;

/** Modules of all services but the gateway; each exports a `definition`. */
export const FOLLOWING_MODULES: readonly string[] = FOLLOWERS.map(moduleOf);

/**
 * Definitions of the named services; of all if none is named.
 * @throws ConfigurationError listing the available services if one is unknown or named twice
 */
export async function definitionsOf(names: readonly string[]): Promise<readonly ServiceDefinition[]> {
  const unknown = names.find((name, index) => !NAMES.includes(name) || names.indexOf(name) !== index);
  if (unknown !== undefined) {
    throw new ConfigurationError([`${unknown} is unknown or named twice: there are ${NAMES.join(', ')}`]);
  }
  const definitions: ServiceDefinition[] = [];
  for (const name of names.length === 0 ? NAMES : names) {
    const module = (await import(moduleOf(name))) as { readonly definition: ServiceDefinition };
    definitions.push(module.definition);
  }
  return definitions;
}

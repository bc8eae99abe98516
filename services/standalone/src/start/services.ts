import { ConfigurationError } from '@countersign/process';
import type { ServiceDefinition } from '@countersign/service-kit';

interface ServiceModule {
  readonly definition: ServiceDefinition;
}

/** In a possible start order. Only the modules of the services that start are loaded. */
const MODULES: Readonly<Record<string, () => Promise<ServiceModule>>> = {
  identity: () => import('@countersign/identity'),
  policy: () => import('@countersign/policy'),
  'audit-log': () => import('@countersign/audit-log'),
  alerts: () => import('@countersign/alerts'),
  anchoring: () => import('@countersign/anchoring'),
  reporting: () => import('@countersign/reporting'),
  verification: () => import('@countersign/verification'),
  mcp: () => import('@countersign/mcp'),
  console: () => import('@countersign/console'),
  gateway: () => import('@countersign/gateway'),
};
const NAMES = Object.keys(MODULES);

/** All services but the gateway. */
export const FOLLOWERS: readonly string[] = NAMES.filter((name) => name !== 'gateway');

/**
 * Definitions of the named services; of all if none is named.
 * @throws ConfigurationError listing the available services if one is unknown or named twice
 */
export async function definitionsOf(names: readonly string[]): Promise<readonly ServiceDefinition[]> {
  const unknown = names.find((name, index) => !NAMES.includes(name) || names.indexOf(name) !== index);
  if (unknown !== undefined) {
    throw new ConfigurationError([`${unknown} is unknown or named twice: there are ${NAMES.join(', ')}`]);
  }
  const wanted = names.length === 0 ? NAMES : names;
  const modules = await Promise.all(wanted.flatMap((name) => MODULES[name]?.() ?? []));
  return modules.map(({ definition }) => definition);
}

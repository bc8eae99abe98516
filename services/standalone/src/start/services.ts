import type { ServiceDefinition } from '@countersign/service-kit';

const load = (module: string) => async (): Promise<ServiceDefinition> =>
  ((await import(module)) as { readonly definition: ServiceDefinition }).definition;

/** Every service of this program, by name, in an order in which they may start. */
export const SERVICES: ReadonlyMap<string, () => Promise<ServiceDefinition>> = new Map(
  ['identity', 'policy', 'audit-log', 'anchoring', 'reporting', 'verification', 'gateway'].map((name) => [
    name,
    load(`@countersign/${name}`),
  ]),
);

/**
 * Definitions of the named services; of all where none is named.
 * @throws Error naming the services there are, when one is unknown or named twice
 */
export async function definitionsOf(names: readonly string[]): Promise<readonly ServiceDefinition[]> {
  const known = [...SERVICES.keys()];
  const unknown = names.find((name, index) => !SERVICES.has(name) || names.indexOf(name) !== index);
  if (unknown !== undefined) throw new Error(`${unknown} is unknown or named twice: there are ${known.join(', ')}`);
  const definitions: ServiceDefinition[] = [];
  for (const name of names.length === 0 ? known : names) definitions.push(await SERVICES.get(name)!());
  return definitions;
}

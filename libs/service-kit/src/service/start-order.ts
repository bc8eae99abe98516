import type { ServiceName } from '@countersign/contracts';

export interface Dependent {
  readonly name: ServiceName;
  readonly after: readonly ServiceName[];
}

/**
 * Sorts services so that each comes after those that it names; names that are not given are ignored. Services stop in
 * reverse order.
 * @throws if services wait for each other, or one is given twice
 */
export function startOrder<T extends Dependent>(services: readonly T[]): readonly T[] {
  const byName = new Map(services.map((service) => [service.name, service]));
  if (byName.size !== services.length) throw new Error('a service is given twice');
  const order: T[] = [];
  const state = new Map<ServiceName, 'open' | 'done'>();
  const visit = (service: T, path: readonly ServiceName[]): void => {
    if (state.get(service.name) === 'done') return;
    const here = [...path, service.name];
    if (state.get(service.name) === 'open') throw new Error(`services wait for each other: ${here.join(' after ')}`);
    state.set(service.name, 'open');
    for (const name of service.after) {
      const earlier = byName.get(name);
      if (earlier !== undefined) visit(earlier, here);
    }
    state.set(service.name, 'done');
    order.push(service);
  };
  for (const service of services) visit(service, []);
  return order;
}

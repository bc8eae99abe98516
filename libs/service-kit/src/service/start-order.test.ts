import { startOrder } from './start-order.js';
import type { Dependent } from './start-order.js';

const service = (name: Dependent['name'], ...after: Dependent['after'][number][]): Dependent => ({ name, after });
const names = (services: readonly Dependent[]): string[] => startOrder(services).map(({ name }) => name);

describe('start order', () => {
  it('places each service after those that it waits for', () => {
    expect(
      names([service('reporting', 'anchoring', 'audit-log'), service('anchoring', 'audit-log'), service('audit-log')]),
    ).toEqual(['audit-log', 'anchoring', 'reporting']);
  });

  it('ignores services that are not given', () => {
    expect(names([service('gateway', 'identity')])).toEqual(['gateway']);
  });

  it('names services that wait for each other', () => {
    expect(() => startOrder([service('policy', 'identity'), service('identity', 'policy')])).toThrow(
      'services wait for each other: policy after identity after policy',
    );
  });

  it('refuses a service that is given twice', () => {
    expect(() => startOrder([service('policy'), service('policy')])).toThrow('twice');
  });
});

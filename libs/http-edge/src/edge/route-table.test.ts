import fc from 'fast-check';
import type { Route } from '@countersign/contracts';
import { allowedMethods, RouteTable, splitTarget } from './route-table.js';

const route = (method: Route['method'], path: string): Route => ({
  service: 'policy',
  method,
  path,
  operationId: `${method} ${path}`,
  summary: '',
  tag: '',
  auth: 'none',
  success: 200,
  responses: {},
});
const tableOf = (...routes: Route[]): RouteTable<null> =>
  new RouteTable(routes.map((definition) => ({ route: definition, target: null })));

describe('the route table', () => {
  const table = tableOf(
    route('GET', '/v1/agents/{id}'),
    route('PATCH', '/v1/agents/{id}'),
    route('GET', '/v1/agents/latest'),
    route('GET', '/v1/agents/{id}/profile'),
  );
  const found = (path: string): string | undefined => table.match(path)?.methods.get('GET')?.route.path;

  it('takes a parameter as one segment, as it was sent', () => {
    expect(table.match('/v1/agents/a%2Fb')?.params).toEqual({ id: 'a%2Fb' });
    expect(found('/v1/agents/x/profile')).toBe('/v1/agents/{id}/profile');
  });

  it('prefers literal segments', () => {
    expect(found('/v1/agents/latest')).toBe('/v1/agents/latest');
  });

  it.each(['/v1/agents/', '/v1/agents', '/V1/agents/x', '/v1//agents/x', '/v1/agents//profile', 'v1/agents/x', ''])(
    'does not know %j',
    (path) => {
      expect(table.match(path)).toBeNull();
    },
  );

  it('lists the methods of a path, HEAD beside GET', () => {
    expect(allowedMethods(table.match('/v1/agents/x')!.methods.keys())).toBe('GET, HEAD, PATCH');
  });

  it('refuses two routes of one path and method', () => {
    expect(() => tableOf(route('GET', '/a'), route('GET', '/a'))).toThrow('GET /a is claimed by');
  });

  it('never throws for any text', () => {
    fc.assert(fc.property(fc.string(), (path) => void table.match(path)));
  });
});

describe('a request target', () => {
  it.each([
    ['/a?b=c?d', { path: '/a', query: 'b=c?d' }],
    ['/a', { path: '/a', query: '' }],
    ['http://host.example/a/b?c', { path: '/a/b', query: 'c' }],
    ['http://host.example', { path: '/', query: '' }],
    ['*', null],
    ['host.example:443', null],
  ])('%s', (target, parts) => {
    expect(splitTarget(target)).toEqual(parts);
  });
});

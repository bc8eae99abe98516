import * as contracts from '@countersign/contracts';
import type { Route } from '@countersign/contracts';
import { HttpRefusal } from './http-contract.js';
import { compileRoute } from './validation.js';

const isRoute = (value: unknown): value is Route =>
  typeof value === 'object' && value !== null && 'operationId' in value && 'path' in value;

const ROUTES = Object.entries(contracts)
  .filter(([name]) => name.endsWith('Routes'))
  .flatMap(([, table]) => Object.values<unknown>(table as Record<string, unknown>))
  .filter(isRoute);

describe('the routes of contracts', () => {
  it('are found here', () => {
    expect(ROUTES.length).toBeGreaterThan(40);
  });

  it.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route]))('%s compiles strictly', (_name, route) => {
    expect(() => compileRoute(route)).not.toThrow();
  });

  it('have one operation id each', () => {
    expect(new Set(ROUTES.map(({ operationId }) => operationId)).size).toBe(ROUTES.length);
  });

  it.each(ROUTES.map((route) => [route.path, route]))(
    '%s names each of its parameters with a schema',
    (path, route) => {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      expect(Object.keys(route.params ?? {}).sort()).toEqual(named.sort());
    },
  );
});

describe('parameters', () => {
  const checks = compileRoute({
    service: 'policy',
    method: 'GET',
    path: '/v1/x',
    operationId: 'x',
    summary: '',
    tag: '',
    auth: 'none',
    query: {
      limit: contracts.limit,
      allowed: { type: 'boolean' },
      ratio: { type: 'number' },
      tag: { type: 'array', items: { type: 'string' } },
    },
    headers: { 'idempotency-key': { type: 'string', maxLength: 5 } },
    success: 200,
    responses: {},
  });

  it('are coerced by their type', () => {
    expect(checks.query('limit=5&allowed=true&ratio=0.5&tag=a&tag=b&tag=')).toEqual({
      limit: 5,
      allowed: true,
      ratio: 0.5,
      tag: ['a', 'b', ''],
    });
  });

  it.each([
    'limit=5.0',
    'limit=+5',
    'limit=',
    'limit=1e2',
    'limit= 5',
    'allowed=TRUE',
    'allowed=1',
    'ratio=Infinity',
    'ratio=.5',
  ])('are not guessed: %s', (text) => {
    expect(() => checks.query(text)).toThrow(HttpRefusal);
  });

  it('do not become members of the prototype', () => {
    expect(checks.query('__proto__=1&constructor=2')).toEqual({ limit: 50 });
  });

  it('are read from headers too', () => {
    expect(() => checks.headers({ 'idempotency-key': 'short' })).not.toThrow();
    expect(() => checks.headers({ 'idempotency-key': 'longer' })).toThrow(
      'header idempotency-key must have at most 5 characters',
    );
  });
});

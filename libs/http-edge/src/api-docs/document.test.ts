import { buildOpenApi, everyRoute, EVERY_NOTE, operationsRoutes } from '@countersign/contracts';
import type { Route } from '@countersign/contracts';
import { compileRoute } from '../edge/validation.js';

const routes: readonly Route[] = [...everyRoute, ...Object.values<Route>(operationsRoutes)].filter(
  ({ withPathsBelow }) => withPathsBelow !== true,
);

interface Shown {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Shown>> }>>;
}

// As they come from another thread.
const document = buildOpenApi(structuredClone(routes)) as {
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, object>>;
};
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

describe('the OpenAPI document', () => {
  it('says of every operation what it is for, beside its summary, and of none that there is not', () => {
    expect(Object.keys(EVERY_NOTE).sort()).toEqual(routes.map(({ operationId }) => operationId).sort());
    for (const { summary, description } of operations) {
      expect(summary.length).toBeGreaterThan(10);
      expect(description.split('\n\n').length).toBeGreaterThan(1);
    }
  });

  it('begins with the check, and goes on by tags', () => {
    expect(Object.keys(document.paths).slice(0, 3)).toEqual([
      '/v1/check',
      '/access/v1/evaluation',
      '/access/v1/evaluations',
    ]);
    const found = operations.map(({ tags: [tag] }) => tag);
    const first = found.filter((tag, i) => found.indexOf(tag) === i);
    expect(first).toEqual(document.tags.map(({ name }) => name));
  });

  it('has a description for every tag', () => {
    expect(document.tags.filter(({ description }) => description === undefined)).toEqual([]);
  });

  it('shows bodies that its own schemas take', () => {
    const shown = routes.filter(({ body }) => body !== undefined);
    const without: string[] = [];
    for (const route of shown) {
      const { body, bodies = {} } = EVERY_NOTE[route.operationId]!;
      const examples = [...(body === undefined ? [] : [body]), ...Object.values(bodies).map(({ value }) => value)];
      if (examples.length === 0) without.push(route.operationId);
      const checks = compileRoute({ ...route, body: route.shownBody ?? route.body! });
      for (const example of examples) expect(() => checks.body(example)).not.toThrow();
    }
    // A package is too long to show.
    expect(without).toEqual(['verifyInclusion']);
  });

  it('says of every operation with a body that a slow one is 408', () => {
    const withBody = operations.filter((operation) => 'requestBody' in operation);
    expect(withBody.length).toBeGreaterThan(20);
    for (const { summary, responses } of withBody)
      expect([summary, Object.keys(responses)]).toEqual([summary, expect.arrayContaining(['408'])]);
  });

  it('describes the messages of alerts, where destinations can be made', () => {
    expect(Object.keys(document.webhooks)).toEqual(['violation.blocked', 'approval.requested', 'alert.test']);
    expect(buildOpenApi(structuredClone(routes.filter(({ tag }) => tag !== 'Alerts')))).not.toHaveProperty('webhooks');
  });

  it('shows for every refusal a body in words', () => {
    for (const { operationId, responses } of operations) {
      for (const [status, { content }] of Object.entries(responses)) {
        const { example, examples } = content?.['application/json'] ?? {};
        if (content?.['application/json'] === undefined || Number(status) < 400) continue;
        // The body as problem details has the words.
        if ('application/problem+json' in content) continue;
        const { schema } = content['application/json'] as { schema?: { $ref?: string } };
        if (Number(status) === 400 && schema?.$ref === undefined) continue;
        expect([operationId, status, example ?? examples]).not.toEqual([operationId, status, undefined]);
      }
    }
  });
});

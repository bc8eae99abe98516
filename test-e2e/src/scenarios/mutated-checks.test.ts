import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { onEachProfile } from '../instance/profiles.js';
import { eventually, type Answer } from '../instance/request.js';
import { mutatedBodies } from './mutated-bodies.js';

const SEED = 5;
/** The stores of the distributed profile's tests are slow; the code that reads a body is the same. */
const BODIES = { embedded: 20_000, distributed: 2_000 } as const;
/** Concurrent requests. */
const SIDE_BY_SIDE = 32;
const PAGE = 1000;

interface CheckDocument {
  readonly components: object;
  readonly paths: {
    readonly '/v1/check': {
      readonly post: {
        readonly responses: Readonly<
          Record<string, { readonly content: { readonly 'application/json': { readonly schema: object } } }>
        >;
      };
    };
  };
}

interface EventsPage {
  readonly events: readonly { readonly eventId: string }[];
  readonly total: number;
}

onEachProfile('mutated bodies of checks', (start, profile) => {
  let instance: Instance;
  let session: { readonly authorization: string };
  let agentId: string;
  const shapes = new Map<number, ValidateFunction>();

  beforeAll(async () => {
    instance = await start();
    session = await instance.session();
    agentId = await newAgent(instance, session, {
      blocked_apis: ['*.example.com'],
      off_limits_actions: ['tool_*'],
      spending_limit: 1000,
      output_rules: { blocked_pii: ['credit_card', 'email'], block_secrets: true, blocked_topics: ['shipped'] },
    });
    const document = (await instance.request('GET', '/v1/openapi.json')).json as CheckDocument;
    const ajv = new Ajv2020({ strict: false });
    for (const [status, { content }] of Object.entries(document.paths['/v1/check'].post.responses)) {
      const { components } = document;
      // References of a schema are resolved from the root of the compiled one.
      shapes.set(Number(status), ajv.compile({ ...content['application/json'].schema, components }));
    }
  }, 90_000);
  afterAll(() => instance.discard());

  const fault = ({ status, json, text, headers }: Answer): string | null => {
    const shape = shapes.get(status);
    if (shape === undefined) return `${status} is not in the contract: ${text}`;
    if (!shape(json)) return `${status} has another shape than the contract's: ${text}`;
    if (status >= 500 && (status !== 503 || !headers['retry-after'])) return `${status} ${text}`;
    return /\.js\b|node_modules|\bat .*:\d/.test(text) ? `${status} reveals code: ${text}` : null;
  };

  const listed = async (): Promise<{ ids: string[]; total: number }> => {
    const ids: string[] = [];
    for (;;) {
      const path = `/v1/events?agentId=${agentId}&type=action.checked&limit=${PAGE}&offset=${ids.length}`;
      const { events, total } = (await instance.request('GET', path, { headers: session })).json as EventsPage;
      ids.push(...events.map(({ eventId }) => eventId));
      if (events.length < PAGE) return { ids, total };
    }
  };

  it(`${BODIES[profile]} get an answer of the contract, and judged ones are listed once`, async () => {
    const bodies = mutatedBodies(agentId, SEED);
    const faults: string[] = [];
    const judged: string[] = [];
    const statuses: Record<number, number> = {};
    let left = BODIES[profile];
    const ask = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const body = bodies.next().value;
        const answer = await instance.request('POST', '/v1/check', {
          headers: { 'x-service-key': instance.bootstrap.apiKey },
          raw: body,
        });
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
        const found = fault(answer);
        if (found !== null) faults.push(`${body.subarray(0, 300).toString('latin1')} -> ${found}`);
        if (answer.status === 200) judged.push(String(answer.headers['x-event-id']));
      }
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, ask));

    expect(faults).toEqual([]);
    // Enough of each kind for the mutations to be effective.
    expect(statuses[200]).toBeGreaterThan(BODIES[profile] / 5);
    expect(statuses[400]).toBeGreaterThan(BODIES[profile] / 5);
    expect(statuses[503] ?? 0).toBeLessThan(BODIES[profile] / 100);
    await eventually('all are listed', 60, async () => ((await listed()).total >= judged.length ? true : null));
    const { ids } = await listed();
    // One that was answered 503 may have been recorded.
    expect(ids.length).toBeLessThanOrEqual(judged.length + (statuses[503] ?? 0));
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(judged).size).toBe(judged.length);
    const known = new Set(ids);
    expect(judged.filter((id) => !known.has(id))).toEqual([]);
  }, 150_000);
});

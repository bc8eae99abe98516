import { randomUUID } from 'node:crypto';
import type { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { onEachProfile } from '../instance/profiles.js';
import type { Answer } from '../instance/request.js';

interface Control {
  readonly framework: string;
  readonly controlId: string;
  readonly relation: string;
  readonly state: string;
  readonly events: number;
  readonly gap: number;
}
interface Coverage {
  readonly events: number;
  readonly mapping: { readonly version: string; readonly sha256: string };
  readonly controls: readonly Control[];
  readonly columns: readonly string[];
  readonly cells: readonly { readonly control: number; readonly column: number; events: number; gap: number }[];
}
interface Package {
  readonly mapping: object;
  readonly events: readonly {
    readonly status: string;
    readonly outsideRange?: true;
    readonly controls: readonly Pick<Control, 'framework' | 'controlId' | 'relation'>[];
  }[];
}

const FRAMEWORKS = ['soc2', 'euaiact', 'hipaa', 'sr11-7', 'sr26-2', 'nydfs'];
const DAY = 86_400_000;

onEachProfile('GET /v1/coverage', (start) => {
  let instance: Instance;
  let headers: { readonly authorization: string };
  let range: { readonly from: string; readonly to: string };
  let agents: readonly string[];

  beforeAll(async () => {
    instance = await start();
    headers = await instance.session();
    const from = new Date(Date.now() - DAY).toISOString();
    const ask = { mode: 'observe', blocked_apis: ['evil.example'] };
    agents = [
      await newAgent(instance, headers, { blocked_apis: ['evil.example'] }),
      await newAgent(instance, headers, ask),
    ];
    for (const agentId of agents) {
      for (const url of ['https://api.example.com/', 'https://evil.example/', 'https://api.example.com/2']) {
        expect((await instance.check({ type: 'http_call', url }, { agentId })).status).toBe(200);
      }
      expect((await instance.check({ type: 'data_access' }, { agentId })).status).toBe(200);
    }
    // After the last event: both answers below are about the same ones.
    range = { from, to: new Date(Date.now() + 1000).toISOString() };
  }, 90_000);
  afterAll(() => instance.discard());

  const get = (path: string, query: Readonly<Record<string, string>>): Promise<Answer> =>
    instance.request('GET', `${path}?${new URLSearchParams({ ...range, ...query }).toString()}`, { headers });
  async function coverage(query: Readonly<Record<string, string>>): Promise<Coverage> {
    const answer = await get('/v1/coverage', query);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.json as Coverage;
  }
  function boundsOfDay(name: string): { readonly from: string; readonly to: string } {
    const day = Date.parse(name);
    return {
      from: new Date(Math.max(day, Date.parse(range.from))).toISOString(),
      to: new Date(Math.min(day + DAY, Date.parse(range.to))).toISOString(),
    };
  }
  async function listed(query: Readonly<Record<string, string>>): Promise<number> {
    const { status, json } = await get('/v1/coverage/events', { limit: '1', ...query });
    expect(status).toBe(200);
    return (json as { readonly total: number }).total;
  }

  it('counts as the signed package of the range does', async () => {
    const found = await coverage({});
    const { json } = await instance.request('POST', '/v1/events/export-signed', {
      headers,
      body: { format: 'json', frameworks: FRAMEWORKS, ...range },
    });
    const { events, mapping } = json as Package;
    const inside = events.filter(({ outsideRange }) => outsideRange === undefined);
    expect(found.mapping).toEqual(mapping);
    expect(found.events).toBe(inside.length);
    for (const { framework, controlId, relation, events: count, gap } of found.controls) {
      const own = inside.filter(({ controls }) =>
        controls.some((c) => c.framework === framework && c.controlId === controlId && c.relation === relation),
      );
      const gaps = own.filter(({ status }) => status === 'Gap, review required');
      expect([framework, controlId, count, gap]).toEqual([framework, controlId, own.length, gaps.length]);
    }
  });

  it('gives each cell exactly the events that its list has', async () => {
    for (const by of ['day', 'agent']) {
      const { controls, columns, cells } = await coverage({ by, framework: 'soc2' });
      expect(cells.length).toBeGreaterThan(0);
      for (const { control, column, events, gap } of cells) {
        const { framework, controlId, relation } = controls[control]!;
        const name = columns[column]!;
        const own = by === 'day' ? boundsOfDay(name) : { agentId: name };
        const of = { framework, controlId, relation, ...own };
        expect([controlId, await listed(of)]).toEqual([controlId, events]);
        expect([controlId, await listed({ ...of, status: 'Gap, review required' })]).toEqual([controlId, gap]);
      }
    }
  });

  it('lists events newest first with their status, and pages them', async () => {
    const query = { framework: 'soc2', controlId: 'CC7.2', agentId: agents[1]! };
    const whole = (await get('/v1/coverage/events', query)).json as {
      readonly events: readonly { readonly eventId: string; readonly occurredAt: string; readonly status: string }[];
      readonly total: number;
    };
    expect(whole.total).toBe(whole.events.length);
    const times = whole.events.map(({ occurredAt }) => occurredAt);
    expect([...times].sort().reverse()).toEqual(times);
    // Observe mode let one pass, and one data access names no scope.
    expect(whole.events.filter(({ status }) => status === 'Gap, review required')).toHaveLength(2);
    const second = (await get('/v1/coverage/events', { ...query, limit: '2', offset: '2' })).json as typeof whole;
    expect([second.total, second.events]).toEqual([whole.total, whole.events.slice(2, 4)]);
  });

  it('follows the declaration of the account', async () => {
    const states = async (): Promise<readonly string[]> =>
      (await coverage({ framework: 'hipaa' })).controls.map(({ state }) => state);
    const declare = (hipaa: object): Promise<Answer> =>
      instance.request('PUT', '/v1/compliance-scope', { headers, body: { hipaa } });
    expect(new Set(await states())).toEqual(new Set(['needs_declaration']));
    await declare({ ephi: false });
    expect(new Set(await states())).toEqual(new Set(['does_not_apply']));
    await declare({ ephi: true });
    expect(new Set(await states())).toEqual(new Set(['shown_with_gaps', 'shown', 'not_shown']));
  });

  it('says what to change', async () => {
    const control = { framework: 'soc2', controlId: 'CC7.2' };
    const refused: readonly (readonly [string, Readonly<Record<string, string>>, number, string])[] = [
      ['/v1/coverage', { to: range.from }, 400, 'from must be before to'],
      ['/v1/coverage', { from: '2026-02-30T00:00:00Z' }, 400, 'from must be a time that the calendar has'],
      ['/v1/coverage', { from: '2020-01-01T00:00:00Z', by: 'day' }, 400, 'at most 92 days'],
      ['/v1/coverage', { framework: 'iso' }, 400, 'framework must be one of'],
      ['/v1/coverage', { agentId: randomUUID() }, 404, 'no agent'],
      ['/v1/coverage/events', { framework: 'soc2' }, 400, 'give both'],
      ['/v1/coverage/events', { ...control, controlId: 'CC99' }, 404, 'see GET /v1/coverage'],
      ['/v1/coverage/events', { ...control, relation: 'direct' }, 404, 'the relation direct'],
      ['/v1/coverage/events', { ...control, status: 'met' }, 400, 'status must be one of'],
    ];
    for (const [path, query, status, words] of refused) {
      const answer = await get(path, query);
      expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(words)]);
    }
  });
});

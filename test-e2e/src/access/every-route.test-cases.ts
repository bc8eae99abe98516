import type { Instance } from '../instance/instance.js';
import type { Answer } from '../instance/request.js';
import { belongings, idsOfNothing } from './belongings.js';
import type { Ids } from './belongings.js';
import { people, WHO } from './people.js';
import type { Headers, People, Who } from './people.js';
import { ACCESS } from './routes.js';
import type { Access, Asked, Statuses } from './routes.js';

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Calls every route of the served document as each caller. */
export function everyRoute(instanceOf: () => Instance): void {
  let instance: Instance;
  let all: People;
  let ids: Ids;
  let untouched: Ids;
  beforeAll(async () => {
    instance = instanceOf();
    all = await people(instance);
    ids = await belongings(instance, all.headers['the admin']);
    untouched = await belongings(instance, all.headers['the admin']);
  }, 120_000);

  async function send(route: string, asked: Asked, headers: Headers): Promise<Answer> {
    const [method = '', template = ''] = route.split(' ');
    const path = template.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => asked.path?.[name] ?? '');
    const target = asked.query === undefined ? path : `${path}?${asked.query}`;
    return instance.request(method, target, { headers, body: asked.body });
  }

  const asks = (access: Access, ids: Ids, who: Who): Asked => access.ask?.(ids, instance.bootstrap, who) ?? {};
  const headersOf = (access: Access, who: Who): Headers | Promise<Headers> =>
    access.endsSession === true ? all.fresh(who) : all.headers[who];

  it('is in the access table, and the table has no other', async () => {
    const document = (await instance.request('GET', '/v1/openapi.json')).json as OpenApi;
    const served = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(Object.keys(ACCESS).sort()).toEqual(served.sort());
  });

  it.each(Object.entries(ACCESS))('%s answers each caller as the table says', async (route, access) => {
    const found: Partial<Record<Who, number>> = {};
    const ask = async (who: Who): Promise<void> => {
      const { status, json } = await send(route, asks(access, ids, who), await headersOf(access, who));
      found[who] = status;
      if (status === 401 || status === 403) expect(Object.keys(json as object)).toEqual(['error']);
    };
    // Refusals are tested first: the things must still exist for the other callers.
    const { statuses } = access;
    const together = WHO.filter((who) => statuses[who] >= 400 || statuses.anonymous < 400);
    await Promise.all(together.map(ask));
    for (const who of WHO.filter((one) => !together.includes(one))) await ask(who);
    expect(found).toEqual(access.statuses);
  });

  it.each(Object.entries(ACCESS).filter(([, { statuses }]) => strangersOf(statuses).length > 0))(
    '%s answers another account alike for existing and missing things',
    async (route, access) => {
      const nothing = idsOfNothing();
      for (const who of strangersOf(access.statuses)) {
        const there = await send(route, asks(access, untouched, who), all.headers[who]);
        const missing = await send(route, asks(access, nothing, who), all.headers[who]);
        expect(there.status).toBe(404);
        expect(seen(there, untouched)).toEqual(seen(missing, nothing));
      }
    },
  );

  it('reveals nothing of the first account to another one', async () => {
    const secrets = [...all.secrets, ...Object.values(untouched), instance.bootstrap.agentId];
    const headers = all.headers['another account’s admin'];
    for (const [route, access] of Object.entries(ACCESS)) {
      if (!route.startsWith('GET ') || access.ask !== undefined) continue;
      const { text } = await send(route, {}, headers);
      expect([route, secrets.filter((secret) => text.includes(secret))]).toEqual([route, []]);
    }
    const listed = await send('GET /v1/events', { query: `agentId=${untouched.agent}` }, headers);
    expect(listed.json).toEqual({ events: [], total: 0, limit: 50, offset: 0 });
  });
}

/** Callers of another account that get 404. */
function strangersOf(statuses: Statuses): readonly Who[] {
  const strangers = ['an API key of another account', 'another account’s admin'] as const;
  return statuses.anonymous === 404 ? [] : strangers.filter((who) => statuses[who] === 404);
}

/** An answer without per-answer headers and the requested ids. */
function seen({ status, headers, text }: Answer, asked: Ids): unknown {
  const { date: _date, 'x-request-id': _id, ...others } = headers;
  const masked = Object.values(asked).reduce((left, id) => left.replaceAll(id, 'what was asked'), text);
  return { status, text: masked, headers: others };
}

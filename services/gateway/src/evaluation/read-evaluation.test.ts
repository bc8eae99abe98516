import type { JsonValue } from '@countersign/contracts';
import { compileProfile, decide, emptyProfile } from '@countersign/policy-engine';
import type { Action } from '@countersign/policy-engine';
import fc from 'fast-check';
import { isMalformed, prepareParsed } from '../check/prepare.js';
import { endsAt, itemOf } from './outcome.js';
import { readEvaluation, withDefaults } from './read-evaluation.js';

const subject = { type: 'agent', id: '0b0f9a5e-3c0a-4d8e-9a57-2f6d1d5f4c11' };
const action = { name: 'http_call' };
const resource = { type: 'url', id: 'https://api.example.com/x' };

describe('an evaluation', () => {
  it('becomes a check with name, resource and context in their members', () => {
    const read = readEvaluation({
      subject: { ...subject, properties: { team: 'billing' } },
      action: { name: 'tool_use', properties: { estimatedCost: 2, payload: { to: 'x' } } },
      resource: { type: 'tool', id: 'mail.send', properties: { region: 'eu' } },
      context: { ip: '192.0.2.1' },
    });
    expect(read).toEqual({
      agentId: subject.id,
      action: {
        type: 'tool_use',
        estimatedCost: 2,
        payload: { to: 'x' },
        tool_name: 'mail.send',
        metadata: { ip: '192.0.2.1' },
        subject: { ...subject, properties: { team: 'billing' } },
        resource: { type: 'tool', id: 'mail.send', properties: { region: 'eu' } },
      },
    });
  });

  it.each([
    ['data', 'dataScope'],
    ['dataScope', 'dataScope'],
    ['url', 'url'],
    ['URI', 'url'],
    ['tool', 'tool_name'],
    ['tool_name', 'tool_name'],
    ['Tool-Name', 'tool_name'],
    ['function', 'tool_name'],
    ['Data Scope', 'dataScope'],
    ['file', 'dataScope'],
    ['TABLE', 'dataScope'],
    ['request_url', 'url'],
    ['api', 'tool_name'],
  ])('judges the id of a resource of type %s as %s', (type, member) => {
    expect(readEvaluation({ subject, action, resource: { type, id: 'r' } })).toMatchObject({
      action: { [member]: 'r' },
    });
  });

  it('keeps a resource of another type only as evidence', () => {
    const of = { type: 'constructor', id: 'r' };
    expect(readEvaluation({ subject, action, resource: of })).toEqual({
      agentId: subject.id,
      action: { type: 'http_call', resource: of },
    });
  });

  it.each([
    ['api', 'HTTPS://evil.example/x'],
    ['endpoint', ' ht\ntp:evil.example'],
    ['page', 'https://evil.example:8443'],
    ['page', `https://evil.example/é${'x'.repeat(70_000)}`],
    ['endpoint', 'wss://evil.example/x'],
    ['endpoint', 'FTP:evil.example'],
    ['endpoint', 'gopher://evil.example/x'],
    ['endpoint', 'x-own:\\\\evil.example'],
    ['page', '<https://evil.example/x>'],
    ['record', 'URL:https://evil.example/x'],
    ['record', '\u00a0https://evil.example/x'],
    ['record', '\u2003<URL:https://evil.example/x>'],
    ['record', '//evil.example/x'],
    ['api', 'evil.example'],
    ['API', 'evil.example/x'],
    ['web-site', 'evil.example:8080'],
    ['server', '[::1]:80'],
    ['host', 'localhost'],
  ])('judges an address as url also where its type is %s: %s', (type, id) => {
    expect(readEvaluation({ subject, action, resource: { type, id } })).toMatchObject({ action: { url: id } });
    const same = { ...action, properties: { url: id } };
    expect(readEvaluation({ subject, action: same, resource: { type, id } })).toMatchObject({ action: { url: id } });
    const other = { ...action, properties: { url: 'https://api.example.com/' } };
    expect(readEvaluation({ subject, action: other, resource: { type, id } })).toContain('url and resource.id differ');
  });

  it.each([
    ['tool', 'tool_name'],
    ['data', 'dataScope'],
  ])('judges an address as url and as what its type says: %s', (type, member) => {
    const id = 'https://evil.example/x';
    expect(readEvaluation({ subject, action, resource: { type, id } })).toMatchObject({
      action: { url: id, [member]: id },
    });
    const other = { ...action, properties: { url: 'https://api.example.com/' } };
    expect(readEvaluation({ subject, action: other, resource: { type, id } })).toContain('url and resource.id differ');
  });

  it('leaves the arguments of a tool to the rules', () => {
    const payload = { request: { url: 'https://evil.example/x' } };
    const asked = readEvaluation({
      subject,
      action: { name: 'tool_use', properties: { payload } },
      resource: { type: 'tool', id: 'fetch' },
    });
    expect(asked).toMatchObject({ action: { tool_name: 'fetch', payload } });
    expect(asked).not.toHaveProperty('action.url');
  });

  it.each([
    [{ url: 'https://evil.example/x' }],
    [{ payload: { to: 'https://evil.example/x' }, toolName: 'mail' }],
    [{ estimatedCost: 5000 }],
    [{ estimated_cost: 5000, uri: 'https://evil.example/x' }],
    [{ amount: 7, data_scope: 'pii' }],
    [{ arguments: '{"url":"https://evil.example/x"}' }],
  ])('judges the properties of the resource: %j', (properties) => {
    const of = { type: 'record', id: 'r', properties };
    expect(readEvaluation({ subject, action, resource: of })).toEqual({
      agentId: subject.id,
      action: { type: 'http_call', ...properties, resource: of },
    });
    const [[name]] = Object.entries(properties) as [[string, JsonValue]];
    const same = { ...action, properties: { [name]: (properties as Record<string, JsonValue>)[name]! } };
    expect(readEvaluation({ subject, action: same, resource: of })).toMatchObject({ action: properties });
    const other = { ...action, properties: { [name]: 'other' } };
    expect(readEvaluation({ subject, action: other, resource: of })).toContain(
      `action.properties.${name} and resource.properties.${name} differ`,
    );
  });

  it.each([
    ['fetch', { host: 'evil.example' }],
    ['webhook', { target: 'https://evil.example/x' }],
    ['HTTP-Call', { Server: 'evil.example' }],
  ])('judges the address that the resource of %s names as a check does: %j', (name, properties) => {
    const of = { type: 'thing', id: 'job', properties };
    const [[member]] = Object.entries(properties) as [[string, string]];
    const read = readEvaluation({ subject, action: { name }, resource: of });
    expect(read).toEqual({ agentId: subject.id, action: { type: name, ...properties, resource: of } });
    const rules = compileProfile({ ...emptyProfile(subject.id), blocked_apis: ['evil.example'] });
    expect(decide(rules, (read as { action: Action }).action).violation?.rule).toBe('blocked_apis:no url given');
    // The action's own counts; for an action that is not a call it is ordinary data.
    const own = { name, properties: { [member]: 'own' } };
    expect(readEvaluation({ subject, action: own, resource: of })).toMatchObject({ action: { [member]: 'own' } });
    expect(readEvaluation({ subject, action: { name: 'update' }, resource: of })).toEqual({
      agentId: subject.id,
      action: { type: 'update', resource: of },
    });
  });

  it('takes the id of a resource of an unknown type as what a call by its name calls', () => {
    const of = { type: 'ip', id: '10.0.0.1' };
    const asked = (name: string, properties: Record<string, JsonValue> = {}): unknown =>
      readEvaluation({ subject, action: { name, properties }, resource: of });
    expect(asked('fetch')).toMatchObject({ action: { url: of.id } });
    for (const named of [asked('fetch', { url: 'https://a.example/' }), asked('api_call', { tool_name: 'crm.a' })]) {
      expect(named).not.toHaveProperty('action.url', of.id);
    }
    expect(asked('update')).not.toHaveProperty('action.url');
  });

  it.each([
    'purchase_list',
    'buy_view',
    'search_and_book',
    'readAndBuy',
    'create_view',
    'send_preview',
    'orders.buy_list',
  ])('takes the price of a resource as what %s spends', (name) => {
    const of = { type: 'item', id: '1', properties: { price: 5 } };
    expect(readEvaluation({ subject, action: { name }, resource: of })).toMatchObject({ action: { price: 5 } });
  });

  it.each(['read', 'can_read_todo', 'document.view', 'listOrders', 'get'])(
    'does not take cost and content of a resource as part of %s',
    (name) => {
      const of = { type: 'product', id: '7', properties: { total: 3, price: 9, content: 'x', output: 'y' } };
      expect(readEvaluation({ subject, action: { name }, resource: of })).toEqual({
        agentId: subject.id,
        action: { type: name, resource: of },
      });
      const properties = { estimated_cost: 5, payload: 'x', uri: 'https://a.example/' };
      const ruled = { type: 'product', id: '7', properties };
      expect(readEvaluation({ subject, action: { name }, resource: ruled })).toMatchObject({ action: properties });
      expect(readEvaluation({ subject, action: { name: 'pay' }, resource: of })).toMatchObject({
        action: { total: 3, price: 9, content: 'x' },
      });
    },
  );

  it('keeps members that no rule reads only as evidence', () => {
    const properties = { ownerID: 'alice', title: 'x', method: 'GET', url: null };
    const of = { type: 'todo', id: '7240d0db', properties };
    expect(readEvaluation({ subject, action: { name: 'can_update_todo' }, resource: of })).toEqual({
      agentId: subject.id,
      action: { type: 'can_update_todo', resource: of },
    });
  });

  it.each([
    ['tool_use', 'tool_name'],
    ['Tool-Use', 'tool_name'],
    ['call_tool', 'tool_name'],
    ['tool.call', 'tool_name'],
    ['data_access', 'dataScope'],
  ])('takes a resource of an unknown type as the object of %s', (name, member) => {
    const of = { type: 'widget', id: 'shell' };
    expect(readEvaluation({ subject, action: { name }, resource: of })).toMatchObject({
      action: { [member]: 'shell' },
    });
    const named = { name, properties: { [member]: 'other' } };
    expect(readEvaluation({ subject, action: named, resource: of })).toMatchObject({ action: { [member]: 'other' } });
  });

  it.each(['user:alice', 'urn:isbn:1', 'orders', 'c:/x', '/x', 'readme.md'])('does not take %s as an address', (id) => {
    const of = { type: 'record', id };
    expect(readEvaluation({ subject, action, resource: of })).toEqual({
      agentId: subject.id,
      action: { type: 'http_call', resource: of },
    });
  });

  it.each([
    [{ action, resource }, 'subject is missing'],
    [{ subject, resource }, 'action is missing'],
    [{ subject, action }, 'resource is missing'],
    [{ subject: { type: 'agent' }, action, resource }, 'subject.id is missing'],
    [{ subject: { id: subject.id }, action, resource }, 'subject.type is missing'],
    [{ subject, action: {}, resource }, 'action.name is missing'],
    [{ subject, action, resource: { id: 'r' } }, 'resource.type is missing'],
    [{ subject, action, resource: { type: 'url' } }, 'resource.id is missing'],
    [{ subject: { ...subject, type: 'user' }, action, resource }, 'subject.type must be agent'],
    [{ subject, action: { ...action, properties: { type: 'x' } }, resource }, 'action.properties.type is not taken'],
    [{ subject, action: { ...action, properties: { url: 'https://else.example' } }, resource }, 'differ'],
    [
      { subject, action, resource: { ...resource, properties: { url: 'https://else.example' } } },
      'resource.properties.url and resource.id differ',
    ],
    [{ subject, action: { ...action, properties: { metadata: {} } }, resource, context: {} }, 'not both'],
  ])('says what to change in %j', (parts, words) => {
    expect(readEvaluation(parts)).toContain(words);
  });

  it('is judged as a check by the rules of a check', () => {
    const wrong = readEvaluation({ subject: { ...subject, id: 'unknown' }, action, resource });
    const prepared = prepareParsed(wrong);
    expect(isMalformed(prepared) && prepared).toMatchObject({ status: 400, error: expect.stringContaining('UUID') });
    const scopeless = prepareParsed(
      readEvaluation({ subject, action: { name: 'data_access', properties: { dataScope: '' } }, resource }),
    );
    const error = 'action.dataScope must not be empty: leave it out where there is none';
    expect(isMalformed(scopeless) && scopeless).toMatchObject({ status: 400, error });
  });

  it('never throws, whatever its properties are', () => {
    const properties = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<Record<string, never>>;
    fc.assert(
      fc.property(properties, properties, fc.string({ minLength: 1 }), (own, context, type) => {
        const read = readEvaluation({
          subject,
          action: { ...action, properties: own },
          resource: { type, id: 'r', properties: context },
          context,
        });
        if (typeof read !== 'string') prepareParsed(read);
      }),
    );
  });
});

describe('several evaluations', () => {
  it('take omitted parts from the request', () => {
    const other = { type: 'tool', id: 'search' };
    expect(withDefaults({ subject, action, resource, context: { a: 1 } }, { resource: other })).toEqual({
      subject,
      action,
      resource: other,
      context: { a: 1 },
    });
    expect(withDefaults({ subject }, {})).toEqual({ subject });
  });

  it('take only type, id and name from the request for a part that they name', () => {
    const defaults = {
      subject: { ...subject, properties: { team: 'a' } },
      action: { name: 'tool_use', properties: { estimatedCost: 1 } },
      resource: { type: 'tool' },
    };
    const own = { subject: { id: 'other' }, action: { properties: { payload: 1 } }, resource: { id: 'search' } };
    expect(withDefaults(defaults, own)).toEqual({
      subject: { type: 'agent', id: 'other' },
      action: { name: 'tool_use', properties: { payload: 1 } },
      resource: { type: 'tool', id: 'search' },
    });
    expect(withDefaults(defaults, { resource: { type: 'url' } }).resource).toEqual({ type: 'url' });
  });

  it.each([
    ['execute_all', true, false],
    ['execute_all', false, false],
    ['deny_on_first_deny', true, false],
    ['deny_on_first_deny', false, true],
    ['permit_on_first_permit', true, true],
    ['permit_on_first_permit', false, false],
  ] as const)('%s after %s ends: %s', (semantic, decision, ends) => {
    expect(endsAt(decision, semantic)).toBe(ends);
  });

  it('are closed where nothing was decided', () => {
    expect(itemOf({ kind: 'refused', status: 404, error: 'no such agent' })).toEqual({
      decision: false,
      context: { error: { status: 404, message: 'no such agent' } },
    });
    expect(itemOf({ kind: 'undecided', code: 'unavailable', reason: 'later', eventId: 'e' })).toEqual({
      decision: false,
      context: { reason: 'later', code: 'unavailable', event_id: 'e', error: { status: 503, message: 'later' } },
    });
  });
});

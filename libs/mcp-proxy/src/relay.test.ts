import { call, PlayedRelay, result } from './relay.test-setup.js';

const denied = {
  allowed: false,
  reason: 'off limits. Ask.',
  severity: 'P1',
  rule: 'off_limits_actions:read',
  eventId: 'e',
};
const refusal = (id: unknown, message: RegExp): object => ({
  id,
  result: { isError: true, content: [{ type: 'text', text: expect.stringMatching(message) }] },
});

describe('between a client and a server', () => {
  let played: PlayedRelay;
  beforeEach(() => {
    played = new PlayedRelay(1);
  });

  it('an allowed call is sent on, and its scanned result is forwarded', async () => {
    await played.ask(call(1));
    expect([played.judged, played.server]).toMatchObject([[{ name: 'read', given: { a: 1 } }], [call(1)]]);
    await played.say(result(1, 'hello'));
    expect(played.client).toEqual([result(1, 'hello')]);
    expect(played.scanned).toEqual(['text\nhello']);
    expect(played.reports).toEqual(['event of read succeeded']);
  });

  it('a denial is a result that says why and what to do instead, and nothing is sent to the server', async () => {
    played.judge = () => Promise.resolve(denied);
    await played.ask(call(1));
    expect(played.server).toEqual([]);
    expect(played.client).toMatchObject([refusal(1, /not called.*off limits\. Ask\..*off_limits_actions:read/u)]);
    expect(played.client[0]).toMatchObject({
      result: { _meta: { 'countersign/decision': { allowed: false, rule: denied.rule, eventId: 'e' } } },
    });
    expect(played.reports).toEqual([]);
  });

  it('a call that cannot be judged is not sent', async () => {
    played.judge = () => Promise.reject(new Error('broken'));
    await played.ask(call(1));
    expect(played.server).toEqual([]);
    expect(played.client).toMatchObject([refusal(1, /not called/u)]);
  });

  it('a refused result is withheld, also if it is an error; the call is reported as done', async () => {
    played.scan = () => Promise.resolve({ allowed: false, reason: 'holds a card', violationType: 'unsafe_output' });
    await played.ask(call(1));
    await played.say(result(1, 'my card'));
    await played.ask(call(2));
    await played.say({ id: 2, error: { code: 1, message: 'my card', data: 'more' } });
    expect(JSON.stringify(played.client)).not.toContain('my card');
    expect(played.client).toMatchObject(
      [1, 2].map((id) => refusal(id, /was called.*withheld.*do not repeat.*holds a card/u)),
    );
    const seen = 'its result was withheld: unsafe_output';
    expect(played.reports).toEqual([`event of read succeeded ${seen}`, `event of read failed ${seen}`]);
  });

  it('two concurrent calls are each answered with their own result', async () => {
    const open: (() => void)[] = [];
    played.judge = ({ name }) =>
      new Promise((resolve) => open.push(() => resolve({ allowed: name !== 'b', eventId: name })));
    await played.ask(call(1, 'a'));
    await played.ask(call('1', 'b'));
    await played.say({ method: 'notifications/progress', params: {} });
    for (const resolve of open.reverse()) resolve();
    await played.ask({ method: 'notifications/x' });
    await played.say(result(1, 'of a'));
    expect(played.client).toMatchObject([
      { method: 'notifications/progress' },
      refusal('1', /"b" was not called/u),
      result(1, 'of a'),
    ]);
  });

  it('no disguised message reaches the server unchecked', async () => {
    played.judge = () => Promise.resolve(denied);
    const { method, params } = call(1) as { method: string; params: object };
    await played.ask({ method, params });
    await played.ask({ id: null, method, params });
    await played.ask({ id: 1, method: 'TOOLS/CALL', params });
    await played.ask({ id: 2, method: 'ping', Method: method, params });
    await played.ask({ id: 3, result: {}, method, params });
    await played.ask(`{"id":4,"method":"ping","method":"tools/call","params":${JSON.stringify(params)}}`);
    await played.ask(call(5, 'read', { task: { ttl: 1 } }));
    await played.ask([call(6), [call(7)]]);
    expect(played.server).toEqual([]);
    expect(played.judged).toHaveLength(3);
    expect(played.notes).toEqual([expect.stringContaining('without an id')]);
  });

  it.each([
    [undefined, /name of a tool/u],
    [['read', {}], /name of a tool/u],
    [{}, /params\.name/u],
    [{ name: '' }, /params\.name/u],
    [{ name: ['read'] }, /params\.name/u],
    [{ name: 'read', Name: 'delete' }, /"name"/u],
    [{ name: 'read', arguments: { a: 1 }, Arguments: {} }, /"arguments"/u],
  ])('a call with params %j is refused, and not checked', async (params, message) => {
    await played.ask({ id: 1, method: 'tools/call', params });
    expect([played.judged, played.server]).toEqual([[], []]);
    expect(played.client).toMatchObject([{ id: 1, error: { code: -32_602, message: expect.stringMatching(message) } }]);
  });

  it.each([
    ['a name that no tool has', { name: 'my card' }],
    ['unknown members', { name: 'read', more: { a: ['my card'] } }],
    ['additions of the client', { name: 'read', _meta: { progressToken: 'p', own: 'my card' } }],
    ['members of a task', { name: 'read', task: { ttl: 1, own: 'my card' } }],
  ])('%s: what the server receives besides the arguments is scanned first', async (_, params) => {
    played.scan = (text) => Promise.resolve(text.includes('my card') ? denied : { allowed: true });
    await played.ask({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    expect([played.judged, played.server]).toEqual([[], []]);
    expect(played.client).toMatchObject([refusal(1, /was not called.*off limits/u)]);
    await played.ask({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'read' }, more: 'my card' });
    expect(played.server).toEqual([]);
    played.scanned.length = 0;
    const usual = { name: 'read', arguments: { a: 'my card' }, _meta: { progressToken: 'my card' }, task: { ttl: 1 } };
    await played.ask({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: usual });
    expect([played.scanned.length, played.server.length]).toEqual([0, 1]);
  });

  it('passes the trace of a call on, has its check carry it, and repeats it in a refusal that was recorded', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const traced = (id: number, sent: unknown) => call(id, 'read', { _meta: { traceparent: sent } });
    await played.ask(traced(1, traceparent));
    expect([played.judged[0]?.traceparent, played.scanned]).toEqual([traceparent, []]);
    expect(played.server).toMatchObject([{ id: 1, params: { _meta: { traceparent } } }]);
    // What is no trace is text like any other.
    await played.ask(traced(2, 'my card'));
    expect([played.judged[1], played.scanned]).toEqual([
      expect.not.objectContaining({ traceparent }),
      ['traceparent: my card'],
    ]);
    played.judge = () => Promise.resolve({ ...denied, eventId: 'e' });
    await played.ask(traced(3, traceparent));
    expect(played.client).toMatchObject([{ id: 3, result: { isError: true, _meta: { traceparent } } }]);
    played.judge = () => Promise.resolve({ allowed: false, reason: 'the service does not answer', severity: 'P1' });
    await played.ask(traced(4, traceparent));
    expect(played.client[1]).toMatchObject({ id: 4, result: { _meta: expect.not.objectContaining({ traceparent }) } });
  });

  it.each(['READ', ' read', 'r\u200bead', 'ｒead'])('%j is not accepted as another name of a tool', async (name) => {
    await played.ask(call(1, name));
    expect([played.judged, played.server]).toEqual([[], []]);
    expect(played.client).toMatchObject([{ id: 1, error: { message: expect.stringMatching(/"read" is one/u) } }]);
  });

  it('long numbers are judged as text', async () => {
    await played.ask(call(1, 'read', { arguments: { card: 4111111111111111, few: 12 } }));
    expect(played.judged).toMatchObject([{ given: { card: '4111111111111111', few: 12 } }]);
    expect(played.server).toMatchObject([{ params: { arguments: { card: 4111111111111111, few: 12 } } }]);
  });

  it('a model’s answer to a server is scanned; those of the client or its user pass', async () => {
    const methods = ['roots/list', 'elicitation/create', 'sampling/createMessage', 'tasks/result'];
    for (const [id, method] of methods.entries()) await played.say({ id, method });
    played.scan = () => Promise.resolve(denied);
    const answers = methods.map((_, id) => ({ id, result: { content: { type: 'text', text: 'my card' } } }));
    for (const answer of answers) await played.ask(answer);
    // A second answer has no pending request.
    await played.ask(answers[0]);
    const withheld = (id: number): object => ({ id, error: { code: -32_000 } });
    expect(played.server).toMatchObject([answers[0], answers[1], withheld(2), withheld(3), withheld(0)]);
    expect(JSON.stringify(played.server.slice(2))).not.toMatch(/my card|off limits/u);
    expect(played.lengths).toEqual(['judged', 'judged', 'judged']);
    expect(played.notes[0]).toMatch(/withheld: off limits/u);
    played.scan = () => Promise.resolve({ allowed: true });
    const deep = 100_000;
    await played.ask(`{"id":9,"result":{${'"messages":[{'.repeat(deep)}${'}]'.repeat(deep)}}}`);
    expect(played.server.at(-1)).toMatchObject(withheld(9));
  });

  it('a call with a number that cannot be judged is refused', async () => {
    await played.ask('{"id":1,"method":"tools/call","params":{"name":"read","arguments":{"deep":[1e999]}}}');
    expect([played.judged, played.server]).toEqual([[], []]);
  });

  it('everything else passes both ways unchanged', async () => {
    const asked = [
      '{"id":1,"method":"resources/read","params":{"n":12345678901234567890}}',
      '{"method":"notifications/roots/list_changed"}',
      '{"id":7,"result":{"model":"of a server\'s request"}}',
      '{"id":"x","method":"vendor/own","params":[1]}',
    ];
    for (const line of asked) await played.ask(line);
    expect(played.server).toEqual(asked.map((line) => JSON.parse(line)));
    const said = [
      '{"id":7,"method":"sampling/createMessage","params":{}}',
      '{"id":8,"method":"elicitation/create","params":{}}',
      '{"method":"notifications/message","params":{"data":1}}',
      '{"id":1,"result":{"contents":[]}}',
      '{"id":"x","error":{"code":1,"message":"m"}}',
    ];
    for (const line of said) await played.say(line);
    expect(played.client).toEqual(said.map((line) => JSON.parse(line)));
    expect([played.judged, played.notes]).toEqual([[], []]);
    expect(played.scanned).toEqual(["model: of a server's request", '1', '1\nm']);
  });

  it('an answer without a request, a duplicate answer, and invalid messages are not forwarded', async () => {
    await played.ask(call(1));
    await played.say(result(2, 'to nothing'));
    await played.say(result('1', 'to another'));
    await played.say('log line of a server');
    await played.say({ id: 1, method: 'x', result: {} });
    expect(played.client).toEqual([]);
    await played.say(result(1, 'once'));
    await played.say(result(1, 'twice'));
    expect(played.client).toEqual([result(1, 'once')]);
    expect(played.notes).toHaveLength(5);
  });

  it.each([
    [
      'a result and an error',
      { error: { code: 1, message: 'my error' }, result: { content: [] } },
      /result and an error/u,
    ],
    ['a second spelling', { result: {}, Result: { content: [] } }, /"result"/u],
    ['neither', {}, /neither/u],
  ])('an answer with %s is not forwarded, and the caller gets an error', async (_, members, message) => {
    await played.ask(call(1));
    await played.say({ id: 1, ...members });
    expect(played.client).toMatchObject([refusal(1, /was called, but .*may have taken effect/u)]);
    expect(JSON.stringify(played.client)).toMatch(message);
    expect(JSON.stringify(played.client)).not.toContain('my ');
    expect(played.reports).toEqual([expect.stringMatching(/^event of read failed the server's answer is none/u)]);
    await played.ask({ id: 2, method: 'resources/read' });
    await played.say({ id: 2, ...members });
    expect(played.client[1]).toMatchObject({ id: 2, error: { message: expect.stringMatching(message) } });
  });

  it('an answer with a null for the absent member, as in JSON-RPC 1.0, passes without it', async () => {
    const error = { code: 1, message: 'no' };
    await played.ask(call(1));
    await played.say({ ...result(1, 'hello'), error: null });
    await played.ask(call(2));
    await played.say({ id: 2, result: null, error });
    expect(played.client).toEqual([result(1, 'hello'), { id: 2, error }]);
    expect(played.scanned).toEqual(['text\nhello', '1\nno']);
    expect(played.reports).toEqual(['event of read succeeded', 'event of read failed']);
  });

  it('an invalid answer of the client is answered with an error without a request', async () => {
    await played.ask({ id: 7, result: {}, error: { code: 1, message: '' } });
    expect(played.server).toEqual([]);
    expect(played.client).toMatchObject([{ id: null, error: { code: -32_600 } }]);
  });

  it('a request with a pending id is refused: its answer could be taken for the other', async () => {
    await played.ask(call(1));
    await played.ask({ id: 1, method: 'ping' });
    expect(played.server).toHaveLength(1);
    expect(played.client).toMatchObject([{ id: 1, error: { code: -32_600 } }]);
  });
});

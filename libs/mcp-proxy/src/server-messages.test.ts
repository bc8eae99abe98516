import { call, PlayedRelay, result } from './relay.test-setup.js';

describe('a server', () => {
  let played: PlayedRelay;
  beforeEach(() => {
    played = new PlayedRelay();
  });

  it('lists no off-limits tools, on any page', async () => {
    played.hidden = ['wire', 'x'];
    await played.ask({ id: 1, method: 'tools/list', params: { cursor: 'c' } });
    expect(played.server).toHaveLength(1);
    const read = { name: 'read', title: 'Read' };
    const tools = [{ name: 'wire' }, read, 3, { name: '' }, { name: 'a\ud800' }, { title: 'no name' }];
    await played.say({ id: 1, result: { tools, nextCursor: 'd', _meta: { a: 1 } } });
    expect(played.client).toEqual([{ id: 1, result: { tools: [read], nextCursor: 'd', _meta: { a: 1 } } }]);
    await played.ask({ id: 2, method: 'tools/list' });
    await played.say({ id: 2, error: { code: 1, message: 'no' } });
    expect(played.client[1]).toEqual({ id: 2, error: { code: 1, message: 'no' } });
  });

  it('sends nothing that is not scanned', async () => {
    played.scan = () =>
      Promise.resolve({ allowed: false, reason: 'holds a card', violationType: 'unsafe_output', rule: 'of output' });
    const contents = { contents: [{ uri: 'u', text: 'my card' }] };
    const methods = ['resources/read', 'prompts/get', 'prompts/list', 'completion/complete', 'tasks/get', 'vendor/own'];
    for (const [id, method] of methods.entries()) {
      await played.ask({ id, method });
      await played.say(
        method === 'tasks/get' ? { id, error: { code: 1, message: 'my card' } } : { id, result: contents },
      );
      const message = expect.stringContaining(`answer to ${method} is withheld. Countersign denied this: holds a card`);
      expect(played.client.at(-1)).toMatchObject({ id, error: { code: -32_000, message } });
    }
    expect(played.lengths).toEqual(['judged', 'judged', 'any', 'any', 'any', 'any']);
    played.server.length = 0;
    const received = played.client.length;
    await played.say({ method: 'notifications/message', params: { level: 'info', data: 'my card' } });
    await played.say({ method: 'notifications/progress', params: { progressToken: 1, message: 'my card' } });
    await played.say({ method: 'notifications/my card' });
    await played.say({ id: null, error: { code: 1, message: 'my card' } });
    await played.say({ id: 7, method: 'sampling/createMessage', params: { messages: [{ content: 'my card' }] } });
    await played.say({ id: 'my card', method: 'ping' });
    await played.say({ method: 'notifications/tools/list_changed' });
    expect(played.client.slice(received)).toEqual([{ method: 'notifications/tools/list_changed' }]);
    expect(played.server).toMatchObject([7, 'my card'].map((id) => ({ id, error: { code: -32_000 } })));
    expect(JSON.stringify(played.server[0])).toContain('holds a card');
  });

  it('has its notifications forwarded in order, and before an answer that follows them', async () => {
    const open: (() => void)[] = [];
    played.scan = () => new Promise((resolve) => open.push(() => resolve({ allowed: true })));
    await played.ask(call(1));
    const progress = [1, 2].map((n) => ({ method: 'notifications/progress', params: { progress: n } }));
    const changed = { method: 'notifications/tools/list_changed' };
    for (const message of [...progress, changed, result(1, 'done')]) await played.say(message);
    for (const resolve of open.reverse()) {
      expect(played.client).toEqual([]);
      resolve();
      await played.say({ id: 9, result: {} });
    }
    expect(played.client).toEqual([...progress, changed, result(1, 'done')]);
  });

  it('is not forwarded beyond the scan queue', async () => {
    played.scan = () => new Promise(() => undefined);
    for (let n = 0; n < 1_010; n += 1)
      played.relay.fromServer(`{"method":"notifications/message","params":{"n":${n}}}`);
    expect([played.scanned.length, played.notes.length]).toEqual([1_000, 10]);
    const other = new PlayedRelay();
    other.scan = () => new Promise(() => undefined);
    const long = { method: 'notifications/message', params: { data: 'a'.repeat(33 * 1024 * 1024) } };
    await other.say(long);
    await other.say(long);
    expect([other.scanned.length, other.notes.length]).toEqual([1, 1]);
  });

  it('lists no tool whose own text is refused; none at all if scanning fails', async () => {
    const denied = { allowed: false, reason: 'holds a card', violationType: 'unsafe_output' };
    played.scan = (text) => Promise.resolve(text.includes('my card') ? denied : { allowed: true });
    const tools = [
      { name: 'a', description: 'my card' },
      { name: 'b', inputSchema: { maximum: 4294967295 } },
    ];
    await played.ask({ id: 1, method: 'tools/list' });
    await played.say({ id: 1, result: { tools, nextCursor: 'c' } });
    await played.ask({ id: 2, method: 'tools/list' });
    await played.say({ id: 2, result: { tools, nextCursor: 'my card' } });
    expect(played.client).toMatchObject([
      { id: 1, result: { tools: [{ name: 'b' }], nextCursor: 'c' } },
      { id: 2, error: { message: expect.stringMatching(/tools\/list is withheld/u) } },
    ]);
    expect(played.scanned.join('\n')).not.toContain('4294967295');
    expect(played.notes[0]).toMatch(/"a" is not listed: holds a card/u);
    played.scan = () => Promise.resolve({ allowed: false, reason: 'it cannot be scanned' });
    await played.ask({ id: 3, method: 'tools/list' });
    const asked = played.scanned.length;
    await played.say({ id: 3, result: { tools } });
    expect(played.client[2]).toMatchObject({ id: 3, error: { message: expect.stringMatching(/cannot be scanned/u) } });
    expect(played.scanned.length - asked).toBe(1);
  });

  it('with a refused description is opened without it', async () => {
    played.scan = () => Promise.resolve({ allowed: false, reason: 'holds a card', violationType: 'unsafe_output' });
    await played.ask({ id: 1, method: 'initialize', params: {} });
    const capabilities = { tools: { listChanged: true, 'my card': true }, experimental: { a: 'my card' }, logging: {} };
    const result = {
      protocolVersion: '2025-06-18',
      capabilities,
      serverInfo: { name: 'my card' },
      instructions: 'my card',
    };
    await played.say({ jsonrpc: '2.0', id: 1, result, more: 'my card' });
    expect(played.client).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        result: {
          protocolVersion: '2025-06-18',
          capabilities: { tools: { listChanged: true }, logging: {} },
          serverInfo: { name: 'withheld', version: '0' },
        },
      },
    ]);
  });

  it('with a version that does not fit a header has no version for the transport', async () => {
    await played.open('2025-06-18\r\nx: y');
    await played.open('2025-06-18');
    expect(played.opened).toEqual(['2025-06-18']);
  });

  it('sends a number that a double cannot represent: it is scanned and forwarded as written', async () => {
    await played.ask('{"id":1,"method":"tools/call","params":{"name":"read","arguments":{"n":12345678901234567890}}}');
    expect(played.judged).toMatchObject([{ given: { n: expect.stringMatching(/^12345678901234567890 /u) } }]);
    await played.say('{"id":1,"result":{"structuredContent":{"n":6304000000000000001}}}');
    expect(played.scanned).toEqual([expect.stringContaining('6304000000000000001 (6304000000000000000)')]);
  });
});

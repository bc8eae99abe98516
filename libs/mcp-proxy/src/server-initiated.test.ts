import { PlayedRelay } from './relay.test-setup.js';

const cancelled = (requestId: unknown): object => ({ method: 'notifications/cancelled', params: { requestId } });
const answer = (id: unknown): object => ({ id, result: { content: { type: 'text', text: 'my card' } } });
const notPassed = (id: unknown): object => ({
  id,
  error: { code: -32_000, message: expect.stringMatching(/^not passed on: a request with/u) },
});

describe('a request of a server', () => {
  let played: PlayedRelay;
  beforeEach(() => {
    played = new PlayedRelay();
  });

  it.each(['roots/list', 'elicitation/create', 'ping'])(
    'by the id of an unanswered %s is refused, also if that was cancelled',
    async (method) => {
      const first = [{ id: 5, method }, cancelled(5)];
      for (const message of first) await played.say(message);
      await played.say({ id: 5, method: 'sampling/createMessage' });
      expect(played.client).toEqual(first);
      expect(played.server).toMatchObject([notPassed(5)]);
      await played.ask(answer(5));
      expect(played.scanned.join('\n')).not.toContain('my card');
      // It is answered: the id is free.
      await played.say({ id: 5, method: 'sampling/createMessage' });
      await played.ask(answer(5));
      expect(played.scanned.at(-1)).toContain('my card');
      expect(played.client).toHaveLength(3);
    },
  );

  it('by one id twice, in one batch and before either is scanned, is forwarded once', async () => {
    const asked = ['sampling/createMessage', 'elicitation/create'].map((method) => ({ id: 7, method }));
    await played.say(asked);
    expect(played.client).toEqual([asked[0]]);
    expect(played.server).toMatchObject([notPassed(7)]);
    await played.ask(answer(7));
    expect(played.scanned.at(-1)).toContain('my card');
  });

  it('leaves its id free if it is withheld', async () => {
    played.scan = () => Promise.resolve({ allowed: false, reason: 'no' });
    await played.say({ id: 7, method: 'sampling/createMessage', params: { a: 'my card' } });
    played.scan = () => Promise.resolve({ allowed: true });
    await played.say({ id: 7, method: 'sampling/createMessage' });
    expect(played.client).toEqual([{ id: 7, method: 'sampling/createMessage' }]);
  });

  it('is forwarded to no model beyond the limit, and answers after that are scanned', async () => {
    for (let id = 0; id < 1_000; id += 1) played.relay.fromServer(`{"id":${id},"method":"ping"}`);
    await played.say({ id: 1_000, method: 'ping' });
    await played.say({ id: 1_001, method: 'sampling/createMessage' });
    expect(played.client).toHaveLength(1_001);
    expect(played.server).toMatchObject([
      { id: 1_001, error: { message: expect.stringMatching(/too many requests/u) } },
    ]);
    await played.ask(answer(1_000));
    expect(played.scanned).toHaveLength(1);
  });
});

describe('a server that sends more at once than can be scanned', () => {
  const note = (n: number): object => ({ method: 'notifications/message', params: { n } });
  const withoutText = [{ method: 'notifications/tools/list_changed' }, { id: 1, method: 'roots/list' }];
  const burst = async (played: PlayedRelay): Promise<() => void> => {
    let scanned: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (scanned = resolve));
    played.scan = () => held.then(() => ({ allowed: true }));
    for (let n = 0; n < 1_010; n += 1) played.relay.fromServer(JSON.stringify(note(n)));
    for (const message of withoutText) await played.say(message);
    await played.say({ id: 2, method: 'elicitation/create', params: { message: 'text' } });
    return scanned;
  };

  it('is blocked if it can be held, and all its messages pass', async () => {
    const played = new PlayedRelay();
    played.canBeHeld = true;
    const go = await burst(played);
    expect([...new Set(played.holds)]).toEqual([true]);
    go();
    await played.relay.serverGone('it ended');
    expect(played.holds.filter((held) => !held)).toHaveLength(1);
    expect(played.holds.at(-1)).toBe(false);
    const all = Array.from({ length: 1_010 }, (_, n) => note(n));
    expect(played.client.slice(0, 1_012)).toEqual([...all, ...withoutText]);
    expect([played.client.length, played.server, played.notes]).toEqual([1_013, [], []]);
  });

  it('is refused beyond that if it cannot be held, except messages without text, with an error', async () => {
    const played = new PlayedRelay();
    const go = await burst(played);
    go();
    await played.relay.serverGone('it ended');
    expect(played.client).toHaveLength(1_002);
    expect(played.client.slice(1_000)).toEqual(withoutText);
    expect(played.server).toEqual([
      {
        jsonrpc: '2.0',
        id: 2,
        error: { code: -32_000, message: expect.stringMatching(/^not passed on: .* at once/u) },
      },
    ]);
    expect(played.notes).toHaveLength(11);
  });
});

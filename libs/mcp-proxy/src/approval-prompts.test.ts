import { Countersign } from '@countersign/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitationCompleteNotificationSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { Relay } from './relay.js';
import { ToolGuard } from './tool-guard.js';

const APPROVAL = 'apr_0198a1b2-0000-4000-8000-000000000001';
const URL_OF_PAGE = `https://countersign.example/console#approvals/${APPROVAL}`;
const PENDING = {
  allowed: false,
  reason: 'The action needs the approval of a person (rule night).',
  severity: 'P2',
  violation_type: 'approval_required',
  rule: 'rules:night',
  decision: 'step_up',
  code: 'approval_pending',
  next_action: 'retry',
  approval_id: APPROVAL,
  approval_url: URL_OF_PAGE,
  expires_at: '2026-11-26T15:00:00.000Z',
};

type Headers = Readonly<Record<string, string>>;

/** A service that answers checks by the state of one approval. */
class PlayedService {
  readonly checks: Headers[] = [];
  state: 'pending' | 'approved' | 'denied' = 'pending';
  #decided: (() => void)[] = [];

  decide(state: 'approved' | 'denied'): void {
    this.state = state;
    for (const resolve of this.#decided.splice(0)) resolve();
  }

  readonly fetch = async (url: string, init: { readonly headers: Headers }): Promise<Response> => {
    if (url.includes('/v1/approvals/')) {
      if (this.state === 'pending') await new Promise<void>((resolve) => this.#decided.push(resolve));
      return Response.json({ id: APPROVAL, state: this.state });
    }
    if (url.endsWith('/v1/check')) this.checks.push(init.headers);
    const { state } = this;
    if (!url.endsWith('/v1/check') || (state === 'approved' && init.headers['x-approval-id'] === APPROVAL)) {
      return Response.json({ allowed: true }, { headers: { 'x-event-id': 'e2' } });
    }
    return Response.json(PENDING, { headers: { 'x-event-id': 'e1' } });
  };
}

/** The client of the official SDK behind a relay to a played server. */
class Session {
  readonly service = new PlayedService();
  readonly asked: { readonly url?: string; readonly message: string }[] = [];
  readonly completed: string[] = [];
  /** Calls and answers that the server received. */
  readonly server: { readonly method?: string; readonly id?: unknown }[] = [];
  readonly client: Client;
  readonly relay: Relay;
  #received: (message: JSONRPCMessage) => void = () => undefined;

  constructor(
    elicitation: Readonly<Record<string, object>> | null,
    answer: () => Promise<'accept' | 'decline' | 'cancel'>,
  ) {
    this.client = new Client(
      { name: 'test', version: '1' },
      { capabilities: elicitation === null ? {} : { elicitation } },
    );
    if (elicitation !== null) {
      this.client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
        this.asked.push(params);
        return { action: await answer() };
      });
    }
    this.client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => {
      this.completed.push(params.elicitationId);
    });
    const client = new Countersign({
      apiKey: 'csk_test',
      agentId: '0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77',
      baseUrl: 'http://service.example',
      fetch: this.service.fetch as unknown as typeof fetch,
    });
    this.relay = new Relay({
      guard: new ToolGuard(client, { offLimits: () => Promise.resolve(new Set()) }, () => undefined),
      ends: {
        toClient: (text) => this.#received(JSON.parse(text) as JSONRPCMessage),
        toServer: ({ text }) => this.#serve(JSON.parse(text) as (typeof this.server)[number]),
      },
      baseUrl: 'http://service.example',
      note: () => undefined,
    });
  }

  async open(): Promise<void> {
    const transport: Transport = {
      start: () => Promise.resolve(),
      close: () => Promise.resolve(),
      send: (message) => Promise.resolve(this.relay.fromClient(JSON.stringify(message))),
    };
    this.#received = (message) => transport.onmessage?.(message);
    await this.client.connect(transport);
  }

  call() {
    return this.client.callTool({ name: 'wire', arguments: { amount: 5 } });
  }

  #serve(message: (typeof this.server)[number]): void {
    this.server.push(message);
    const { id, method } = message;
    const answers: Readonly<Record<string, object>> = {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'played', version: '1' },
      },
      'tools/call': { content: [{ type: 'text', text: 'sent' }] },
    };
    const result = answers[method ?? ''];
    if (result !== undefined) this.relay.fromServer(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }

  get called(): number {
    return this.server.filter(({ method }) => method === 'tools/call').length;
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('a call that needs an approval, with a client that opens addresses', () => {
  test('asks the user to open the page, waits, and is sent once it is approved', async () => {
    const session = new Session({ url: {} }, () => Promise.resolve('accept'));
    await session.open();
    const called = session.call();
    await until(() => session.asked.length === 1);
    expect(session.asked[0]).toMatchObject({ mode: 'url', url: URL_OF_PAGE });
    expect(session.asked[0]!.message).toContain('The tool "wire" waits for an approval (rules:night).');
    expect(session.called).toBe(0);
    session.service.decide('approved');
    expect(await called).toMatchObject({ content: [{ type: 'text', text: 'sent' }] });
    expect(session.called).toBe(1);
    await until(() => session.completed.length === 1);
    // The first two have one key, so that the service answers the same check again; the one that uses the approval has another.
    const keys = session.service.checks.map((headers) => headers['idempotency-key']);
    expect(keys).toEqual([keys[0], keys[0], expect.not.stringMatching(`^${keys[0]!}$`)]);
    // The answer of the client was for the proxy.
    expect(session.server.filter(({ id, method }) => method === undefined && id !== undefined)).toEqual([]);
  });

  test('continues where a person decides before the client has answered, which is then no longer asked', async () => {
    const session = new Session({ url: {} }, () => new Promise(() => undefined));
    await session.open();
    const called = session.call();
    await until(() => session.asked.length === 1);
    session.service.decide('approved');
    expect(await called).toMatchObject({ content: [{ type: 'text', text: 'sent' }] });
  });

  test.each(['decline', 'cancel'] as const)('is denied as ever where the user answers %s', async (action) => {
    const session = new Session({ url: {} }, () => Promise.resolve(action));
    await session.open();
    const result = await session.call();
    expect(result).toMatchObject({
      isError: true,
      _meta: { 'countersign/decision': { code: 'approval_pending', approval_id: APPROVAL, approval_url: URL_OF_PAGE } },
    });
    expect([session.called, session.completed]).toEqual([0, []]);
  });

  test('is denied where a person denies it', async () => {
    const session = new Session({ url: {} }, () => Promise.resolve('accept'));
    await session.open();
    const called = session.call();
    await until(() => session.asked.length === 1);
    session.service.decide('denied');
    expect(await called).toMatchObject({ isError: true });
    expect(session.called).toBe(0);
  });

  test.each([null, {}, { form: {} }])(
    'is denied at once where the client has the capability %j',
    async (elicitation) => {
      const session = new Session(elicitation, () => Promise.resolve('accept'));
      await session.open();
      expect(await session.call()).toMatchObject({ isError: true });
      expect([session.asked, session.called, session.service.checks.length]).toEqual([[], 0, 1]);
    },
  );

  test('ends with a cancellation of the call', async () => {
    const session = new Session({ url: {} }, () => new Promise(() => undefined));
    await session.open();
    const cancel = new AbortController();
    const called = session.client.callTool({ name: 'wire', arguments: { amount: 5 } }, undefined, {
      signal: cancel.signal,
    });
    await until(() => session.asked.length === 1);
    cancel.abort('changed their mind');
    await expect(called).rejects.toThrow(/changed their mind/u);
    session.service.decide('approved');
    // It passes through more than the cancelled call would still have to.
    expect(await session.call()).toMatchObject({ content: [{ type: 'text', text: 'sent' }] });
    expect(session.called).toBe(1);
  });
});

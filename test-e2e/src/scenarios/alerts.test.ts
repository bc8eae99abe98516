import type { AddressInfo } from 'node:net';
import { Countersign } from '@countersign/client';
import { SMTPServer } from 'smtp-server';
import type { Instance } from '../instance/instance.js';
import { onEachProfile } from '../instance/profiles.js';
import { eventually } from '../instance/request.js';
import { WebhookReceiver, type Received } from './webhook-receiver.js';

interface Destination {
  readonly id: string;
  readonly secret: string;
}

interface Delivery {
  readonly id: string;
  readonly state: string;
  readonly attempts: readonly { readonly status: number | null; readonly error: string | null }[];
}

interface Evidenced {
  readonly event: { readonly type: string; readonly eventId: string };
  readonly status: string;
  readonly statusReason: string | null;
}

const BLOCKED = { type: 'http_call', url: 'https://blocked.example/' };
const STORM = 500;
const lastHour = (): object => ({
  from: new Date(Date.now() - 3_600_000).toISOString(),
  to: new Date(Date.now() + 60_000).toISOString(),
});
const countOf = (messages: readonly Received[]): number => messages.reduce((sum, { data }) => sum + data.count, 0);

onEachProfile('alerts', (start) => {
  const [everything, highest] = [new WebhookReceiver(), new WebhookReceiver()];
  const mails: string[] = [];
  let mailServer: SMTPServer;
  let instance: Instance;
  let session: { readonly authorization: string };
  let all: Destination;
  let high: Destination;

  beforeAll(async () => {
    await everything.open();
    await highest.open();
    mailServer = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData(stream, _session, callback) {
        let text = '';
        stream.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
        stream.on('end', () => {
          mails.push(text);
          callback();
        });
      },
    });
    await new Promise<void>((resolve) => mailServer.listen(0, '127.0.0.1', resolve));
    const { port } = mailServer.server.address() as AddressInfo;
    instance = await start({ env: variables(port) });
    session = await instance.session();
    all = await made({ kind: 'webhook', destination: everything.url });
    high = await made({ kind: 'webhook', destination: highest.url, minSeverity: 'P1' });
  }, 90_000);
  afterAll(async () => {
    await everything.close();
    await highest.close();
    mailServer.close();
    await instance.discard();
  });

  const variables = (smtpPort: number): Record<string, string> => ({
    COUNTERSIGN_WEBHOOK_ALLOWED_HOSTS: `${everything.host},${highest.host}`,
    COUNTERSIGN_ALERT_WINDOW_SECONDS: '5',
    SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
    SMTP_FROM: 'alerts@countersign.example',
  });
  const post = (path: string, body?: unknown) => instance.request('POST', path, { headers: session, body });

  async function made(body: unknown): Promise<Destination> {
    const answer = await post('/v1/alert-configs', body);
    expect([answer.status, answer.status === 201 ? '' : answer.text]).toEqual([201, '']);
    return answer.json as Destination;
  }

  /** A new agent: violations of other tests are of another kind. */
  async function newAgent(): Promise<string> {
    const { id } = (await post('/v1/agents', { name: 'an agent' })).json as { id: string };
    const body = { blocked_apis: ['blocked.example'], off_limits_actions: ['forbidden'] };
    expect((await instance.request('PATCH', `/v1/agents/${id}/profile`, { headers: session, body })).status).toBe(200);
    return id;
  }

  async function deny(agentId: string, action: unknown = BLOCKED): Promise<string> {
    const answer = await instance.check(action, { agentId });
    expect([answer.status, (answer.json as { allowed: boolean }).allowed]).toEqual([200, false]);
    return String(answer.headers['x-event-id']);
  }

  const receivedOf = (receiver: WebhookReceiver, { secret }: Destination, agentId: string): readonly Received[] =>
    receiver.received(secret).filter(({ data }) => data.agentId === agentId);

  async function deliveries({ id }: Destination): Promise<readonly Delivery[]> {
    const { json } = await instance.request('GET', `/v1/alert-configs/${id}/deliveries`, { headers: session });
    return (json as { deliveries: readonly Delivery[] }).deliveries;
  }

  it('reports a denial to the destinations whose severity it reaches, signed, and by mail', async () => {
    const mail = await made({ kind: 'email', destination: 'ops@example.com', minSeverity: 'P1' });
    const agentId = await newAgent();
    const blocked = await deny(agentId);
    const forbidden = await deny(agentId, { type: 'forbidden' });
    await eventually('both arrive', 30, async () =>
      receivedOf(everything, all, agentId).length === 2 && receivedOf(highest, high, agentId).length === 1
        ? true
        : null,
    );
    const byEvent = new Map(receivedOf(everything, all, agentId).map((message) => [message.data.eventId, message]));
    expect(byEvent.get(blocked)).toEqual({
      type: 'violation.blocked',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        eventId: blocked,
        agentId,
        severity: 'P2',
        violation_type: 'api_not_allowed',
        reason: expect.any(String),
        count: 1,
      },
    });
    expect(receivedOf(highest, high, agentId).map(({ data }) => data.eventId)).toEqual([forbidden]);
    await eventually('the mail arrives', 30, async () => (mails.length > 0 ? true : null));
    expect(mails).toHaveLength(1);
    expect(mails[0]).toContain('To: ops@example.com');
    expect(mails[0]).toContain('Subject: Countersign P1: off limits action');
    expect(mails[0]).toContain(forbidden);
    const { status } = await instance.request('DELETE', `/v1/alert-configs/${mail.id}`, { headers: session });
    expect(status).toBe(204);
  }, 60_000);

  it('reports that a denied action was executed anyway, and the evidence shows both as gaps', async () => {
    const agentId = await newAgent();
    const { apiKey, baseUrl } = instance.bootstrap;
    const client = new Countersign({ apiKey, baseUrl, agentId });
    const { allowed, eventId } = await client.check({ actionType: 'http_call', url: BLOCKED.url });
    expect(allowed).toBe(false);
    await client.reportOutcome({ eventId: eventId!, outcome: 'succeeded' });
    // The denial is of P2: this destination receives only the alert of the outcome.
    const alert = await eventually('the alert arrives', 30, async () => receivedOf(highest, high, agentId)[0] ?? null);
    expect(alert.data).toMatchObject({ severity: 'P1', violation_type: null, count: 1 });
    expect(alert.data.reason).toContain('refused, and its execution was reported: it succeeded');
    const exported = { agentIds: [agentId], format: 'json', frameworks: ['soc2'], ...lastHour() };
    const events = await eventually('both events are exported', 30, async () => {
      const { json } = await post('/v1/events/export-signed', exported);
      const found = (json as { events?: readonly Evidenced[] }).events ?? [];
      return found.filter(({ event }) => event.type.startsWith('action.')).length === 2 ? found : null;
    });
    const [checked, outcome] = ['action.checked', 'action.outcome'].map((type) =>
      events.find(({ event }) => event.type === type),
    );
    const status = 'Gap, review required';
    expect(checked).toMatchObject({
      event: { eventId },
      status,
      statusReason: 'The check was refused, and its execution was reported.',
    });
    expect(outcome).toMatchObject({
      event: { eventId: alert.data.eventId },
      status,
      statusReason: 'The outcome reports the execution of a check that was refused.',
    });
  }, 75_000);

  it('redelivers to a receiver that was down, with the same id', async () => {
    const agentId = await newAgent();
    await highest.close();
    const eventId = await deny(agentId, { type: 'forbidden' });
    const failed = await eventually('an attempt fails', 30, async () => {
      const [newest] = await deliveries(high);
      return newest?.attempts.length === 1 && newest.state === 'waiting' ? newest : null;
    });
    expect(failed.attempts).toEqual([{ at: expect.any(String), status: null, error: 'the connection was refused' }]);
    await highest.open();
    await eventually('it arrives', 45, async () => (receivedOf(highest, high, agentId).length > 0 ? true : null));
    expect(receivedOf(highest, high, agentId).map(({ data }) => data.eventId)).toEqual([eventId]);
    expect(highest.arrived.at(-1)?.id).toBe(failed.id);
    await eventually('the log says so', 30, async () =>
      (await deliveries(high)).find(({ id }) => id === failed.id)?.state === 'delivered' ? true : null,
    );
  }, 85_000);

  it(`sums ${STORM} denials in few messages`, async () => {
    const agentId = await newAgent();
    for (let sent = 0; sent < STORM; sent += 50) {
      await Promise.all(Array.from({ length: 50 }, () => deny(agentId)));
    }
    await eventually('all are reported', 45, async () =>
      countOf(receivedOf(everything, all, agentId)) === STORM ? true : null,
    );
    const messages = receivedOf(everything, all, agentId);
    expect(messages[0]?.data.count).toBe(1);
    expect(messages.length).toBeLessThan(STORM / 10);
    expect(receivedOf(highest, high, agentId)).toEqual([]);
  }, 85_000);

  it('loses nothing to SIGKILL, and counts nothing twice under another id', async () => {
    const agentId = await newAgent();
    await Promise.all(Array.from({ length: 20 }, () => deny(agentId)));
    await instance.kill();
    const { port } = mailServer.server.address() as AddressInfo;
    instance = await instance.startAgain({ env: variables(port) });
    session = await instance.session();
    await deny(agentId);
    await eventually('all are reported', 75, async () =>
      countOf(receivedOf(everything, all, agentId)) >= 21 ? true : null,
    );
    expect(countOf(receivedOf(everything, all, agentId))).toBe(21);
  }, 85_000);
});

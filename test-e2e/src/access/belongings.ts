import { randomUUID } from 'node:crypto';
import type { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';
import { bodyOf } from './people.js';
import type { Headers } from './people.js';

/** Ids of an account's things. */
export interface Ids {
  readonly agent: string;
  /** An agent that may be deactivated. */
  readonly oldAgent: string;
  readonly event: string;
  readonly user: string;
  readonly apiKey: string;
  readonly report: string;
  readonly share: string;
  readonly series: string;
  readonly reportJob: string;
  /** A report job that may be removed. */
  readonly oldReportJob: string;
  readonly alertConfig: string;
  /** A destination of alerts that may be removed. */
  readonly oldAlertConfig: string;
  readonly trustedIssuer: string;
  readonly stream: string;
  /** A stream that may be removed. */
  readonly oldStream: string;
  readonly hold: string;
  /** A legal hold that may be released. */
  readonly oldHold: string;
}

/** Ids without a referent. */
export function idsOfNothing(): Ids {
  return {
    agent: randomUUID(),
    oldAgent: randomUUID(),
    event: randomUUID(),
    user: randomUUID(),
    apiKey: randomUUID(),
    report: randomUUID(),
    share: randomUUID(),
    series: randomUUID(),
    reportJob: randomUUID(),
    oldReportJob: randomUUID(),
    alertConfig: randomUUID(),
    oldAlertConfig: randomUUID(),
    trustedIssuer: randomUUID(),
    stream: randomUUID(),
    oldStream: randomUUID(),
    hold: randomUUID(),
    oldHold: randomUUID(),
  };
}

export const EXPORT = {
  format: 'json',
  frameworks: ['soc2'],
  from: '2026-01-01T00:00:00Z',
  to: '2100-01-01T00:00:00Z',
};

/** A legal hold of a time without events, still without a name. */
export const HELD = { reason: 'counsel asked for it', to: '2000-01-01T00:00:00Z' };

/** Creates one of each, as the first account's admin. */
export async function belongings(instance: Instance, headers: Headers): Promise<Ids> {
  const post = async (path: string, body: unknown): Promise<string> =>
    bodyOf<{ id: string }>(await instance.request('POST', path, { headers, body }), 201).id;
  const agent = await post('/v1/agents', { name: 'an agent' });
  const oldAgent = await post('/v1/agents', { name: 'an old agent' });
  const user = await post('/v1/users', {
    email: `user-${randomUUID()}@example.com`,
    role: 'member',
    password: 'a password that is long enough',
  });
  const apiKey = await post('/v1/api-keys', { name: 'a key' });
  // A name without a DNS entry.
  const destination = { kind: 'webhook', destination: 'https://hooks.countersign.example/' };
  const alertConfig = await post('/v1/alert-configs', destination);
  const oldAlertConfig = await post('/v1/alert-configs', destination);
  const receiver = { kind: 'https', url: 'https://siem.countersign.example/', format: 'ocsf', enabled: false };
  const trusted = await post('/v1/trusted-issuers', trustedIssuer(`https://${randomUUID()}.example.com`));
  const stream = await post('/v1/streams', receiver);
  const oldStream = await post('/v1/streams', receiver);
  // Of a time without events: they keep no content that a test erases.
  const holdOf = (name: string): Promise<string> => post('/v1/legal-holds', { ...HELD, name });
  const hold = await holdOf(`hold ${randomUUID()}`);
  const oldHold = await holdOf(`old hold ${randomUUID()}`);
  const event = String((await instance.check({ type: 'a' }, { agentId: agent })).headers['x-event-id']);
  await eventually('the event is listed', 30, async () => {
    const { text } = await instance.request('GET', `/v1/events?agentId=${agent}`, { headers });
    return text.includes(event) ? true : null;
  });
  // For another agent than the event's: erasing the event's content withdraws the reports that open it.
  const exported = await instance.request('POST', '/v1/events/export-signed', {
    headers,
    body: { ...EXPORT, agentIds: [oldAgent] },
  });
  bodyOf(exported, 200);
  const report = String(exported.headers['x-report-id']);
  const joined = await instance.request('POST', '/v1/report-series', { headers, body: { reportIds: [report] } });
  bodyOf(joined, 200);
  const share = await post(`/v1/reports/${report}/shares`, { expiresIn: 3600 });
  const background = { headers, body: { ...EXPORT, agentIds: [oldAgent] } };
  const [reportJob, oldReportJob] = await Promise.all(
    [0, 1].map(
      async () => bodyOf<{ id: string }>(await instance.request('POST', '/v1/report-jobs', background), 202).id,
    ),
  );
  const series = String(joined.headers['x-series-id']);
  return {
    ...{ reportJob: reportJob!, oldReportJob: oldReportJob! },
    ...{ agent, oldAgent, event, user, apiKey, report, share, series, alertConfig, oldAlertConfig, stream, oldStream },
    trustedIssuer: trusted,
    ...{ hold, oldHold },
  };
}

/** The body that trusts an issuer. */
export function trustedIssuer(issuer: string): object {
  return { issuer, jwksUri: 'https://login.countersign.example/jwks.json', audience: 'https://countersign.example' };
}

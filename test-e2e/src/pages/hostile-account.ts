import type { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';
import type { Answer } from '../instance/request.js';
import { HOSTILE_TEXTS } from './hostile-texts.js';

/** Ids of an account whose every text is hostile. */
export interface HostileAccount {
  readonly agents: readonly string[];
  /** Event with a payload of 32 levels and a text of 256 KiB. */
  readonly largeEvent: string;
  /** A denial by a rule whose name and reason are hostile. */
  readonly deniedEvent: string;
  readonly approval: string;
  readonly report: string;
  readonly hold: string;
  readonly destination: string;
  /** How many of the 60 texts each field took; the others were refused with 400 or 409. */
  readonly taken: Readonly<Record<string, number>>;
}

const LEVELS = 28;
const KIBIBYTE = 1024;

function nested(levels: number, text: string): unknown {
  return levels === 0 ? text : { [text]: nested(levels - 1, text) };
}

/** Puts each text into each field of content, by the API, as the admin of the first account. */
export async function hostileAccount(instance: Instance): Promise<HostileAccount> {
  const headers = await instance.session();
  const { agentId } = instance.bootstrap;
  const post = (path: string, body: unknown): Promise<Answer> => instance.request('POST', path, { headers, body });
  const taken: Record<string, number> = {};
  /** Sends a request for each text. @returns the ids of those that were taken */
  const each = async (
    field: string,
    send: (text: string, n: number) => Promise<Answer>,
  ): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (const [n, text] of HOSTILE_TEXTS.entries()) {
      const { status, json } = await send(text, n);
      // Not a name or address, or as many as an account may have.
      if (status === 400 || status === 409) continue;
      if (status >= 300) throw new Error(`${field}: ${status} for ${JSON.stringify(text)}`);
      ids.push((json as { id?: string } | null)?.id ?? '');
    }
    taken[field] = ids.length;
    return ids;
  };
  const agents = await each('agent', (name) => post('/v1/agents', { name, type: name.slice(0, 60) }));
  const [hurt = ''] = agents;
  await each('API key', (name) => post('/v1/api-keys', { name }));
  const holds = await each('legal hold', (text, n) =>
    // Two texts that differ by a space at their end are one name.
    post('/v1/legal-holds', { name: `${n} ${text}`, reason: text }),
  );
  await each('release of a hold', async (reason, n) => {
    const id = holds[n];
    if (id === undefined || n % 10 !== 0) return { status: 400, json: null } as Answer;
    return post(`/v1/legal-holds/${id}/release`, { reason });
  });
  await each('reason of a freeze', async (reason) => {
    const frozen = await post(`/v1/agents/${agents[1]!}/freeze`, { reason });
    await post(`/v1/agents/${agents[1]!}/unfreeze`, { reason });
    return { ...frozen, json: null };
  });
  await each('stream', (text) =>
    post('/v1/streams', {
      kind: 'https',
      url: `https://siem.countersign.example/${encodeURIComponent(text)}`,
      format: 'ocsf',
      enabled: false,
      filter: { rule: text },
    }),
  );
  const destinations = await each('destination of alerts', (text) =>
    post('/v1/alert-configs', {
      kind: 'webhook',
      destination: `https://hooks.countersign.example/${encodeURIComponent(text)}`,
    }),
  );
  const profile = await instance.request('PATCH', `/v1/agents/${hurt}/profile`, {
    headers,
    body: {
      store_payload: true,
      off_limits_actions: HOSTILE_TEXTS.filter((text) => text.trim() === text && !text.includes('*')),
      rules: [
        { id: 'hostile', effect: 'approve', tools: ['approve_me'], severity: 'P2', reason: HOSTILE_TEXTS[0] },
        { id: 'denies', effect: 'deny', tools: ['deny_me'], severity: 'P1', reason: HOSTILE_TEXTS[1] },
      ],
    },
  });
  if (profile.status !== 200) throw new Error(`profile: ${profile.status} ${profile.text}`);
  const check = (action: Record<string, unknown>): Promise<Answer> => instance.check(action, { agentId: hurt });
  await each('event', async (text) => {
    const url = `https://api.example.com/${encodeURIComponent(text)}`;
    const answer = await check({
      type: text,
      toolName: text,
      url,
      payload: { [text]: text },
      metadata: { note: text },
    });
    return { ...answer, json: null };
  });
  const eventOf = ({ headers: sent }: Answer): string => String(sent['x-event-id']);
  const [long = '', lie = ''] = HOSTILE_TEXTS;
  const large = await check({
    type: 'large',
    payload: { deep: nested(LEVELS, lie), long: long.repeat(250 * KIBIBYTE).slice(0, 250 * KIBIBYTE) },
  });
  if (large.status !== 200) throw new Error(`a large check: ${large.status} ${large.text}`);
  const denied = await check({ type: 'tool_call', toolName: 'deny_me' });
  const answer = await check({ type: 'tool_call', toolName: 'approve_me', payload: { note: long } });
  const { approval_id: approval } = answer.json as { approval_id: string };
  await eventually('the approval is listed', 60, async () =>
    (await instance.request('GET', `/v1/approvals/${approval}`, { headers })).status === 200 ? true : null,
  );
  const decided = await post(`/v1/approvals/${approval}/decide`, {
    decision: 'deny',
    comment: HOSTILE_TEXTS.slice(30).join(' ').slice(0, 2000),
  });
  if (decided.status !== 200) throw new Error(`a decision: ${decided.status} ${decided.text}`);
  const report = await reportOf(instance, headers, agentId, HOSTILE_TEXTS[12]!);
  await each('note of a link', (note) => post(`/v1/reports/${report}/shares`, { expiresIn: 3600, note }));
  return {
    agents,
    largeEvent: eventOf(large),
    deniedEvent: eventOf(denied),
    approval,
    report,
    hold: holds[1]!,
    destination: destinations[0]!,
    taken,
  };
}

/** A finished report with this title, over an agent with few events. */
async function reportOf(
  instance: Instance,
  headers: Readonly<Record<string, string>>,
  agentId: string,
  title: string,
): Promise<string> {
  const body = {
    format: 'json',
    frameworks: ['soc2'],
    from: '2026-01-01T00:00:00Z',
    to: '2100-01-01T00:00:00Z',
    agentIds: [agentId],
    title,
  };
  const asked = await instance.request('POST', '/v1/report-jobs', { headers, body });
  if (asked.status !== 202) throw new Error(`a report: ${asked.status} ${asked.text}`);
  const { id } = asked.json as { id: string };
  return eventually('the report', 120, async () => {
    const { json } = await instance.request('GET', `/v1/report-jobs/${id}`, { headers });
    return (json as { reports: readonly string[] }).reports[0] ?? null;
  });
}

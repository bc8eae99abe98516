import { readFileSync } from 'node:fs';
import type { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { eventually } from '../instance/request.js';
import type { Answer } from '../instance/request.js';

type Json = { readonly [member: string]: unknown };

interface Step {
  readonly request?: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Json;
  };
  readonly answer?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Json;
  };
}

interface Exchange {
  readonly name: string;
  readonly steps: readonly Step[];
}

const FILE = new URL('../../vectors/access-request-approval.json', import.meta.url);

/** The end-to-end examples of the AuthZEN Access Request and Approval Profile. */
export const EXCHANGES = (JSON.parse(readFileSync(FILE, 'utf8')) as { exchanges: readonly Exchange[] }).exchanges;

/** Members of the examples' answers that the profile leaves open, and that are not sent. */
const NOT_SENT = new Set(['template', 'form_url', 'request_schema_url', 'cancel', 'state', 'request_catalogs_url']);
/** Members whose values are the service's own. */
const OF_SERVICE = /(?:_at|_until|_endpoint|Location|_token|_id|\.id|reason|title|description)$/;

/** Paths of leaves to their values. */
function leaves(value: unknown, path = ''): readonly (readonly [path: string, value: unknown])[] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value as Json).flatMap(([name, member]) =>
    NOT_SENT.has(name) ? [] : leaves(member, `${path}.${name}`),
  );
}

/** An example as it is run: what the service has issued stands in for what the example's service has. */
export class RunExchange {
  readonly #issued = new Map<string, string>();
  #agentId = '';
  key = '';

  constructor(
    private readonly exchange: Exchange,
    private readonly instance: Instance,
    private readonly session: { readonly authorization: string },
  ) {}

  /** An agent whose rule asks for an approval, and an API key that is limited to it: the examples name no agent. */
  async prepare(): Promise<void> {
    this.#agentId = await newAgent(this.instance, this.session);
    const rules = [{ id: 'asks', effect: 'approve', when: "action.type in ['can_read', 'invoke']" }];
    const saved = await this.#ask('PATCH', `/v1/agents/${this.#agentId}/profile`, this.session, { rules });
    const made = await this.#ask('POST', '/v1/api-keys', this.session, { name: 'pep', agentIds: [this.#agentId] });
    expect([saved.status, made.status]).toEqual([200, 201]);
    this.key = (made.json as { key: string }).key;
  }

  /** The request of a step, with the members of `change` instead. */
  send(step: number, change: Json = {}, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const { request } = this.exchange.steps[step]!;
    const text = JSON.stringify({ ...request!.body, ...change });
    const body = [...this.#issued].reduce((sent, [theirs, ours]) => sent.replaceAll(theirs, ours), text);
    const own = { 'x-service-key': this.key, ...lowerCase(request!.headers), ...headers };
    return this.#ask(request!.method, request!.path, own, JSON.parse(body));
  }

  /** Compares an answer with that of a step: each member that the example has, and its value unless it is the service's. */
  takes(step: number, answer: Answer): void {
    const { status, body, headers } = this.exchange.steps[step]!.answer!;
    const ours = new Map([...leaves(answer.json), ...leaves({ Location: answer.headers['location'] })]);
    expect(answer.status).toBe(status);
    const given = 'Location' in headers ? { Location: headers['Location'] } : {};
    for (const [path, theirs] of [...leaves(body), ...leaves(given)]) {
      if (!OF_SERVICE.test(path)) expect([path, ours.get(path)]).toEqual([path, theirs]);
      else {
        expect([path, ours.get(path)]).toEqual([path, expect.any(String)]);
        this.#issued.set(theirs as string, ours.get(path) as string);
      }
    }
  }

  task(answer: Answer, key = this.key): Promise<Answer> {
    const { task } = answer.json as { task: { status_endpoint: string } };
    return this.#ask('GET', new URL(task.status_endpoint).pathname, { 'x-service-key': key });
  }

  async decide(answer: Answer, decision: 'approve' | 'deny'): Promise<void> {
    const { id } = (answer.json as { task: { id: string } }).task;
    const path = `/v1/approvals/${id.replace('arq_', 'apr_')}/decide`;
    expect((await this.#ask('POST', path, this.session, { decision })).status).toBe(200);
  }

  /** Evaluates again until the gateway knows the decision. */
  evaluated(step: number, known: (context: Json) => boolean): Promise<Answer> {
    return eventually('the gateway knows the decision', 30, async () => {
      const answer = await this.send(step);
      return known((answer.json as { context: Json }).context) ? answer : null;
    });
  }

  #ask(method: string, path: string, headers: Readonly<Record<string, string>>, body?: unknown): Promise<Answer> {
    return this.instance.request(method, path, { headers, ...(body === undefined ? {} : { body }) });
  }
}

function lowerCase(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** `type` of a problem without the URN, and the status. */
export function problemOf({ status, json, headers }: Answer): readonly unknown[] {
  const { type = '' } = json as { type?: string };
  return [status, headers['content-type'], type.replace('urn:openid:authzen:access-request:error:', '')];
}

import { setTimeout as sleep } from 'node:timers/promises';
import { countersign } from './command.js';
import type { Answer, RequestOptions } from './request.js';

/** `bootstrap.json`. */
export interface Bootstrap {
  readonly baseUrl: string;
  readonly mcpUrl: string;
  readonly solanaRpcUrl: string;
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
  readonly accountId: string;
  readonly agentId: string;
}

export interface CheckOptions {
  readonly agentId?: string;
  readonly headers?: Record<string, string>;
}

interface Requests {
  readonly bootstrap: Bootstrap;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
}

/** Runs the command that replaces the embedded profile's first start. */
export async function makeFirstAccount(env: Readonly<Record<string, string>>): Promise<Bootstrap> {
  const { code, stdout, stderr } = await countersign(['admin', 'bootstrap'], env);
  if (code !== 0) throw new Error(`admin bootstrap ended with ${String(code)}: ${stderr}`);
  return JSON.parse(stdout) as Bootstrap;
}

/** A check with the first account's key and agent. */
export function checkAt(asked: Requests, action: unknown, more: CheckOptions): Promise<Answer> {
  const { apiKey, agentId } = asked.bootstrap;
  return asked.request('POST', '/v1/check', {
    headers: { 'x-service-key': apiKey, ...more.headers },
    body: { agentId: more.agentId ?? agentId, action },
  });
}

const LOGIN_ATTEMPTS = 5;

/** Headers of a new session of the first account's admin; retries a login that is answered with 503. */
export async function sessionAt(asked: Requests): Promise<{ readonly authorization: string }> {
  const { email, password } = asked.bootstrap;
  const logIn = (): Promise<Answer> => asked.request('POST', '/v1/auth/login', { body: { email, password } });
  let answer = await logIn();
  for (let attempts = 1; answer.status === 503 && attempts < LOGIN_ATTEMPTS; attempts += 1) {
    await sleep(1000);
    answer = await logIn();
  }
  if (answer.status !== 200) throw new Error(`login: ${answer.status} ${answer.text}`);
  return { authorization: `Bearer ${(answer.json as { token: string }).token}` };
}

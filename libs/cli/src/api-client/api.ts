import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailed, EXIT } from '../exit-codes.js';
import { secondStep } from './second-step.js';

/** `bootstrap.json` of an instance. */
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

/** @throws CommandFailed 64 where the folder holds none */
export async function readBootstrap(dataDir: string): Promise<Bootstrap> {
  const file = join(dataDir, 'bootstrap.json');
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Bootstrap;
  } catch {
    throw new CommandFailed(EXIT.usage, `no readable ${file}: start an instance first, or name one with --data-dir`);
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Raw body. */
  readonly bytes: Buffer;
}

/** The whole body. Rejects where it breaks off. */
export async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const LOGIN = '/v1/auth/login';

/** Plain HTTP to one instance, connections kept. */
export class Api {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  constructor(readonly baseUrl: string) {}

  /** Rejects only if there was no answer. */
  async send(method: string, path: string, headers: Readonly<Record<string, string>>, body?: unknown): Promise<Answer> {
    const response = await this.open(method, path, headers, body);
    const bytes = await bytesOf(response);
    return { status: response.statusCode ?? 0, headers: response.headers, text: bytes.toString('utf8'), bytes };
  }

  /** As `send`, with the body still to be read. There is no time limit: an export takes minutes. */
  open(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: unknown,
  ): Promise<IncomingMessage> {
    const url = new URL(path, this.baseUrl);
    const text = body === undefined ? undefined : JSON.stringify(body);
    const secure = url.protocol === 'https:';
    return new Promise((resolve, reject) => {
      const outgoing = (secure ? httpsRequest : httpRequest)(
        url,
        {
          method,
          ...(secure ? {} : { agent: this.#agent }),
          headers: {
            ...headers,
            ...(text === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          },
        },
        resolve,
      );
      outgoing.on('error', reject);
      outgoing.end(text);
    });
  }

  /** The parsed body of a successful answer. @throws CommandFailed 1 with the service's error message otherwise */
  async json<T>(method: string, path: string, headers: Readonly<Record<string, string>>, body?: unknown): Promise<T> {
    const answer = await this.#answered(method, path, headers, body);
    return parsed(method, path, answer);
  }

  /** Headers of a session; the person at the terminal is asked for a code where the user has a second factor. */
  async login(email: string, password: string): Promise<{ readonly authorization: string }> {
    const answer = await this.#answered('POST', LOGIN, {}, { email, password });
    const second = answer.status === 403 ? await secondStep(answer.text) : null;
    const { token } =
      second === null
        ? parsed<{ token: string }>('POST', LOGIN, answer)
        : await this.json<{ token: string }>('POST', '/v1/auth/second-factor', {}, second);
    return { authorization: `Bearer ${token}` };
  }

  /** @throws CommandFailed 1 without an answer */
  #answered(...request: Parameters<Api['send']>): ReturnType<Api['send']> {
    return this.send(...request).catch((error: unknown) => {
      throw new CommandFailed(
        EXIT.wrong,
        `no answer from ${this.baseUrl}: ${error instanceof Error ? error.message : ''}`,
      );
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** @throws CommandFailed 1 with the service's error message for another answer than success */
function parsed<T>(
  method: string,
  path: string,
  { status, text }: { readonly status: number; readonly text: string },
): T {
  if (status >= 300) throw new CommandFailed(EXIT.wrong, `${method} ${path}: ${status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

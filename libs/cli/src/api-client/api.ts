import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailed, EXIT } from '../exit-codes.js';

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
    const answer = await this.send(method, path, headers, body).catch((error: unknown) => {
      throw new CommandFailed(
        EXIT.wrong,
        `no answer from ${this.baseUrl}: ${error instanceof Error ? error.message : ''}`,
      );
    });
    if (answer.status >= 300) throw new CommandFailed(EXIT.wrong, `${method} ${path}: ${answer.status} ${answer.text}`);
    return (answer.text === '' ? undefined : JSON.parse(answer.text)) as T;
  }

  /** Headers of a session. */
  async login(email: string, password: string): Promise<{ readonly authorization: string }> {
    const { token } = await this.json<{ token: string }>('POST', '/v1/auth/login', {}, { email, password });
    return { authorization: `Bearer ${token}` };
  }

  close(): void {
    this.#agent.destroy();
  }
}

import { chmod } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf } from '@countersign/async';
import type { PasswordLinkRequest, PlanChange } from '@countersign/service-kit';
import type { SigningKeyAnswer, SigningKeyRequest } from './signing-key-request.js';
import { findSocket, makeSocketPath } from '../threads/socket-path.js';

const NAME = 'admin.sock';
const LONGEST_REQUEST = 16 * 1024;

/** Operations of a running instance; a member's name is the path of its request. */
export interface Operations {
  readonly setPlan: (change: PlanChange) => Promise<'set' | 'unknown-account'>;
  /** The address of the console that signs in once; `null` if no credentials of a user are known here. */
  readonly consoleLink: (request: { readonly kind: 'once' }) => Promise<string | null>;
  /** A link by which a user sets a new password; `unknown-user`: no user has the address. */
  readonly passwordLink: (request: PasswordLinkRequest) => Promise<PasswordLink | 'unknown-user'>;
  readonly signingKeys: (request: SigningKeyRequest) => Promise<SigningKeyAnswer>;
}

export interface PasswordLink {
  readonly link: string;
  readonly expiresAt: string;
}

type Outcome<K extends keyof Operations> = Awaited<ReturnType<Operations[K]>>;

export interface AdminSocket {
  close(): Promise<void>;
}

/** Serves an operator on a unix socket of mode 0600. Every process that may open it is trusted: requests are not authenticated. */
export async function openAdminSocket(dataDir: string, operations: Operations): Promise<AdminSocket> {
  const path = await makeSocketPath(dataDir, NAME);
  const server = createServer((request, response) => {
    answer(operations, request).then(
      (value) => respond(response, 200, { value }),
      (error: unknown) => respond(response, 500, { error: messageOf(error) }),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  await chmod(path, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(operations: Operations, request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LONGEST_REQUEST) throw new Error('the request is too long');
    chunks.push(chunk);
  }
  const argument: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  switch (request.url) {
    case '/setPlan':
      return operations.setPlan(argument as PlanChange);
    case '/consoleLink':
      return operations.consoleLink(argument as { readonly kind: 'once' });
    case '/passwordLink':
      return operations.passwordLink(argument as PasswordLinkRequest);
    case '/signingKeys':
      return operations.signingKeys(argument as SigningKeyRequest);
    default:
      throw new Error(`there is no operation ${request.url ?? ''}`);
  }
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/**
 * Calls the instance that runs on this data directory; `null`: none runs.
 * @throws the instance's error if the operation fails
 */
export async function askInstance<K extends keyof Operations>(
  dataDir: string,
  operation: K,
  argument: Parameters<Operations[K]>[0],
): Promise<Outcome<K> | null> {
  const socketPath = await findSocket(dataDir, NAME);
  if (socketPath === null) return null;
  return new Promise<Outcome<K> | null>((resolve, reject) => {
    const request = httpRequest({ socketPath, method: 'POST', path: `/${operation}` }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { value, error } = JSON.parse(text) as { value?: unknown; error?: string };
        if (error !== undefined) reject(new Error(error));
        else resolve(value as Outcome<K>);
      });
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(null);
      else reject(error);
    });
    request.end(JSON.stringify(argument));
  });
}

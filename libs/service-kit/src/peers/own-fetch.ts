import { Agent, request } from 'node:https';
import { Readable } from 'node:stream';
import type { Config } from '@countersign/process';

const NO_BODY: ReadonlySet<number> = new Set([204, 304]);

/**
 * Returns `fetch` for addresses of `ownAddress`. With a certificate this process answers there under a name that is not the
 * certificate's: the name and the authority are not verified, since the port is its own.
 */
export function ownFetch({
  tls,
  apiUrl,
  publicUrl,
  port,
}: Pick<Config, 'tls' | 'apiUrl' | 'publicUrl' | 'port'>): typeof fetchItself {
  // Here `ownAddress` returns the public address, which may be that of a proxy.
  const isElsewhere = apiUrl !== null || (publicUrl !== null && port === 0);
  return tls === null || isElsewhere ? (url, init) => fetch(url, init) : fetchItself;
}

const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

/** Takes a body of text, and follows no redirect. Rejects if there is no answer. */
function fetchItself(url: string, { method = 'GET', headers, body, signal }: RequestInit): Promise<Response> {
  return new Promise((resolve, reject) => {
    const options = { agent, method, headers: Object.fromEntries(new Headers(headers)), ...(signal ? { signal } : {}) };
    const sent = request(url, options, (answer) => {
      const { statusCode: status = 0 } = answer;
      const received = new Headers();
      for (const [name, values] of Object.entries(answer.headersDistinct)) {
        for (const value of values ?? []) received.append(name, value);
      }
      const content = NO_BODY.has(status) ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
      resolve(new Response(content, { status, headers: received }));
    });
    sent.on('error', reject);
    sent.end(typeof body === 'string' ? body : undefined);
  });
}

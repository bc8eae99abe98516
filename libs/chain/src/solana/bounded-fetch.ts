import { ChainUnavailable } from '../errors.js';
import { HttpFailure } from './classify-error.js';

const LARGEST_ANSWER = 16 * 1024 * 1024;

/**
 * A `fetch` for one JSON-RPC call: ends within `requestMs`, body included, and reads at most 16 MiB. It throws
 * `HttpFailure` for every status except 200, and `ChainUnavailable` for the rest: the driver waits for ever after an
 * error that is not of its own realm's `Error`.
 */
export function boundedFetch(requestMs: number, closing: AbortSignal): typeof fetch {
  return async (input, init) => {
    // Not AbortSignal.any over AbortSignal.timeout: Node 20 to 24 collect that timeout as garbage, and it never fires.
    const ending = new AbortController();
    const { signal } = ending;
    const end = (): void => ending.abort();
    const timer = setTimeout(end, requestMs);
    closing.addEventListener('abort', end, { once: true });
    try {
      closing.throwIfAborted();
      const { body, headers, method } = init ?? {};
      const response = await fetch(input, {
        ...(method === undefined ? {} : { method }),
        ...(headers === undefined ? {} : { headers }),
        ...(body === undefined ? {} : { body }),
        signal,
        redirect: 'error',
      });
      if (response.status !== 200) {
        await response.body?.cancel();
        throw new HttpFailure(response.status, retryAfterMs(response.headers.get('retry-after')));
      }
      return new Response(await readBounded(response), { status: 200 });
    } catch (cause) {
      if (cause instanceof HttpFailure || cause instanceof ChainUnavailable) throw cause;
      if (closing.aborted) throw new ChainUnavailable('network', 'The chain was closed', { cause });
      if (signal.aborted) throw new ChainUnavailable('timeout', 'The node did not answer in time', { cause });
      throw new ChainUnavailable('network', 'The node could not be reached', { cause });
    } finally {
      clearTimeout(timer);
      closing.removeEventListener('abort', end);
    }
  };
}

async function readBounded(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > LARGEST_ANSWER) throw new ChainUnavailable('node-unhealthy', 'The answer is larger than 16 MiB');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** RFC 9110, 10.2.3: seconds, or a date. */
function retryAfterMs(header: string | null): number | null {
  if (header === null) return null;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) && ms >= 0 ? ms : null;
}

import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { CommandFailed, EXIT } from '../exit-codes.js';

export interface EventsRequest {
  readonly baseUrl: string;
  readonly session: { readonly authorization: string };
  readonly format: 'ocsf' | 'csv';
  /** Filters of `GET /v1/events`; `undefined` does not restrict. */
  readonly filters: Readonly<Record<string, string | undefined>>;
  readonly out: string;
}

/**
 * Streams the events of the account into a file, whatever their number. The file gets its name once it is complete: an
 * export that breaks off leaves none.
 * @returns size of the file, bytes
 * @throws CommandFailed 1 if the export was refused, broke off, or cannot be written
 */
export async function saveEvents({ baseUrl, session, format, filters, out }: EventsRequest): Promise<number> {
  const given = Object.entries(filters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const url = new URL('/v1/events/export', baseUrl);
  url.search = new URLSearchParams([['format', format], ...given]).toString();
  const response = await fetch(url, { headers: session }).catch(() => {
    throw new CommandFailed(EXIT.wrong, `no answer from ${baseUrl}`);
  });
  if (response.status !== 200) {
    throw new CommandFailed(EXIT.wrong, `the export was refused: ${response.status} ${await response.text()}`);
  }
  const part = `${out}.part`;
  try {
    await rm(part, { force: true });
    // `fetch` fails a body that ends before its last chunk.
    const body = response.body as ReadableStream<Uint8Array> | null;
    await pipeline(
      body === null ? Readable.from([]) : Readable.fromWeb(body),
      createWriteStream(part, { mode: 0o600 }),
    );
    await rename(part, out);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw failureOf(error as NodeJS.ErrnoException, out);
  }
  return (await stat(out)).size;
}

function failureOf({ code, syscall }: NodeJS.ErrnoException, out: string): CommandFailed {
  const ofFile = syscall === 'open' || syscall === 'write' || syscall === 'rename';
  return new CommandFailed(
    EXIT.wrong,
    ofFile ? `cannot write ${out} (${code}): name another with --out` : 'the export broke off: ask for it again',
  );
}

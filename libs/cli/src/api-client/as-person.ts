import { visible } from '../approvals/visible.js';
import { CommandFailed, EXIT } from '../exit-codes.js';
import { Api } from './api.js';
import { loginOf, type LoginOptions } from './secret-options.js';
import { targetOf, type TargetOptions } from './target-options.js';

/** Sends a request as the person who is logged in, and returns the JSON of its answer. */
export type Asked = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** Logs in and passes requests of that session to `use`. @throws CommandFailed 1 where the service refuses */
export async function asPerson<T>(options: TargetOptions & LoginOptions, use: (ask: Asked) => Promise<T>): Promise<T> {
  const { baseUrl, email, password } = await targetOf(options, await loginOf(options));
  const api = new Api(baseUrl);
  try {
    const session = await api.login(email, password);
    return await use((method, path, body) => api.json(method, path, session, body));
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    throw new CommandFailed(error instanceof CommandFailed ? error.exitCode : EXIT.wrong, visible(message));
  } finally {
    api.close();
  }
}

/** Records in one answer, as the routes allow. */
const PAGE = 100;
const MOST_LISTED = 1000;

interface Listed<T> {
  readonly records: readonly T[];
  /** Also those that are not listed. */
  readonly total: number;
}

/**
 * The first 1,000 records of a list, page by page.
 * @param member that holds the records in an answer of the list
 */
export async function listedOf<T>(ask: Asked, path: string, member: string): Promise<Listed<T>> {
  const records: T[] = [];
  for (;;) {
    const page = await ask<Readonly<Record<string, unknown>>>('GET', `${path}?limit=${PAGE}&offset=${records.length}`);
    const found = page[member] as readonly T[];
    records.push(...found);
    if (found.length < PAGE || records.length >= MOST_LISTED) return { records, total: page['total'] as number };
  }
}

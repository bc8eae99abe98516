import { loadModule, parseSync } from 'libpg-query';
import type { SqlParser } from '../host/sql-parser.js';

/**
 * Loads PostgreSQL's parser, as WebAssembly: in a worker of a browser, from `libpg-query.wasm` beside the worker's script.
 * @throws Error where that file cannot be loaded, or WebAssembly may not be compiled
 */
export async function loadSqlParser(): Promise<SqlParser> {
  await loadModule();
  return parseSync;
}

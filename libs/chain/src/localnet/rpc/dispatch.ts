import type { LocalNode, Method } from './method.js';
import { ACCOUNT_METHODS } from './methods/accounts.js';
import { BLOCK_METHODS } from './methods/blocks.js';
import { CLUSTER_METHODS } from './methods/cluster.js';
import { HISTORY_METHODS } from './methods/history.js';
import { SUBMIT_METHODS } from './methods/submit.js';
import { RpcError } from './rpc-error.js';

const MOST_IN_BATCH = 1_000;
const METHODS: ReadonlyMap<string, Method> = new Map(
  [CLUSTER_METHODS, ACCOUNT_METHODS, SUBMIT_METHODS, HISTORY_METHODS, BLOCK_METHODS].flatMap((methods) =>
    Object.entries(methods),
  ),
);

type Id = string | number | null;
export interface RpcRequest {
  readonly id: Id | undefined;
  readonly method: string;
  readonly params: readonly unknown[];
}
export type RpcAnswer =
  | { readonly jsonrpc: '2.0'; readonly result: unknown; readonly id: Id }
  | { readonly jsonrpc: '2.0'; readonly error: unknown; readonly id: Id };

/** Answers one body of JSON-RPC 2.0, a call or a batch; `null` when nothing in it needs an answer. */
export async function answerBody(node: LocalNode, body: string): Promise<RpcAnswer | RpcAnswer[] | null> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return failure(null, new RpcError(-32700, 'Parse error'));
  }
  const answer = (call: unknown) => answerCall(call, (request) => callMethod(node, request));
  if (!Array.isArray(value)) return answer(value);
  if (value.length === 0) return failure(null, new RpcError(-32600, 'Invalid request'));
  if (value.length > MOST_IN_BATCH) {
    return failure(null, new RpcError(-32600, `Invalid request: at most ${MOST_IN_BATCH} calls in a batch`));
  }
  const answers = await Promise.all(value.map(answer));
  const wanted = answers.filter((one) => one !== null);
  return wanted.length === 0 ? null : wanted;
}

/** Answers one call by `handle`; a notification (no id) is executed and not answered. */
export async function answerCall(call: unknown, handle: (request: RpcRequest) => unknown): Promise<RpcAnswer | null> {
  let id: Id = null;
  try {
    const request = requestOf(call);
    id = request.id ?? null;
    const result = await handle(request);
    return request.id === undefined ? null : { jsonrpc: '2.0', result, id };
  } catch (error) {
    if (!(error instanceof RpcError)) return failure(id, new RpcError(-32603, 'Internal error'));
    const unanswered = error.code !== -32600 && typeof call === 'object' && call !== null && !('id' in call);
    return unanswered ? null : failure(id, error);
  }
}

function callMethod(node: LocalNode, { method, params }: RpcRequest): unknown {
  const handler = METHODS.get(method);
  if (handler === undefined) throw new RpcError(-32601, 'Method not found');
  return handler(node, params);
}

function requestOf(call: unknown): RpcRequest {
  if (typeof call !== 'object' || call === null || Array.isArray(call)) throw new RpcError(-32600, 'Invalid request');
  const { jsonrpc, id, method, params } = call as Record<string, unknown>;
  const idFits = id === undefined || id === null || typeof id === 'string' || typeof id === 'number';
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !idFits) throw new RpcError(-32600, 'Invalid request');
  if (params !== undefined && params !== null && !Array.isArray(params)) {
    throw new RpcError(-32602, 'Invalid params: expected an array');
  }
  return { id, method, params: Array.isArray(params) ? params : [] };
}

function failure(id: Id, { code, message, data }: RpcError): RpcAnswer {
  return { jsonrpc: '2.0', error: { code, message, ...(data === undefined ? {} : { data }) }, id };
}

import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { countersign } from '../instance/command.js';
import type { Instance } from '../instance/instance.js';
import type { Session } from '../torture/recorded.js';

export interface Report {
  readonly id: string;
  /** The downloaded package. */
  readonly text: string;
}

/** A signed package of all events of an agent. */
export async function exportReport(instance: Instance, session: Session, agentId: string): Promise<Report> {
  const { status, text, headers } = await instance.request('POST', '/v1/events/export-signed', {
    headers: session,
    body: {
      agentIds: [agentId],
      format: 'json',
      frameworks: ['soc2'],
      from: new Date(Date.now() - 3_600_000).toISOString(),
      to: new Date(Date.now() + 60_000).toISOString(),
    },
  });
  if (status !== 200) throw new Error(`export: ${status} ${text}`);
  return { id: String(headers['x-report-id']), text };
}

/** The authority that signs the anchors. */
export async function authorityOf(instance: Instance): Promise<string> {
  const { json } = await instance.request('GET', '/v1/keys');
  const { anchorAuthorities } = json as { anchorAuthorities: readonly { address: string }[] };
  if (anchorAuthorities.length !== 1) throw new Error(`there are ${anchorAuthorities.length} authorities`);
  return anchorAuthorities[0]!.address;
}

/** Throws the output of `countersign verify` for a downloaded package unless all of it holds. */
export async function verifyReport(instance: Instance, { id, text }: Report): Promise<void> {
  const keys = (await instance.request('GET', '/v1/keys')).json as { activeKeyId: string };
  const folder = dirname(instance.dataDir);
  const [file, key] = [join(folder, `${id}.json`), join(folder, 'key.pem')];
  writeFileSync(file, text);
  writeFileSync(key, (await instance.request('GET', `/v1/keys/${keys.activeKeyId}`)).text);
  const chain = ['--rpc', instance.bootstrap.solanaRpcUrl, '--authority', await authorityOf(instance)];
  const { code, stdout, stderr } = await countersign(['verify', file, '--key', key, ...chain]);
  if (code !== 0) throw new Error(`verify ended with ${String(code)}: ${stdout}${stderr}`);
}

/** Memos that occur in more than one transaction of an address. */
export async function memosSaidTwice(rpcUrl: string, address: string): Promise<readonly string[]> {
  const memos = await memosOf(rpcUrl, address);
  if (memos.length === 0) throw new Error(`${address} has said nothing`);
  return memos.filter((memo, i) => memos.indexOf(memo) !== i);
}

/** Memos of the transactions of an address, newest first. */
export async function memosOf(rpcUrl: string, address: string): Promise<readonly string[]> {
  const request = { jsonrpc: '2.0', id: 1, method: 'getSignaturesForAddress', params: [address, { limit: 1000 }] };
  const answer = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  const { result } = (await answer.json()) as { result: readonly { memo: string | null }[] };
  return result.flatMap(({ memo }) => (memo === null ? [] : [memo]));
}

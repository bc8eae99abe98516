import type { Instance } from './instance.js';
import { repeated } from './request.js';

/**
 * Creates an agent with this profile; what is answered with 503 is repeated, as clients do.
 * @param session headers of a session of its account
 * @throws Error if it is refused
 */
export async function newAgent(
  instance: Pick<Instance, 'request'>,
  session: Record<string, string>,
  profile: object = {},
): Promise<string> {
  const body = { name: 'an agent' };
  const created = await repeated(() => instance.request('POST', '/v1/agents', { headers: session, body }));
  if (created.status !== 201) throw new Error(`agent: ${created.status} ${created.text}`);
  const { id } = created.json as { id: string };
  if (Object.keys(profile).length === 0) return id;
  const path = `/v1/agents/${id}/profile`;
  const patched = await repeated(() => instance.request('PATCH', path, { headers: session, body: profile }));
  if (patched.status !== 200) throw new Error(`profile: ${patched.status} ${patched.text}`);
  return id;
}

import type { Instance } from './instance.js';

/**
 * Creates an agent with this profile.
 * @param session headers of a session of its account
 * @throws Error if it is refused
 */
export async function newAgent(
  instance: Pick<Instance, 'request'>,
  session: Record<string, string>,
  profile: object = {},
): Promise<string> {
  const created = await instance.request('POST', '/v1/agents', { headers: session, body: { name: 'an agent' } });
  if (created.status !== 201) throw new Error(`agent: ${created.status} ${created.text}`);
  const { id } = created.json as { id: string };
  if (Object.keys(profile).length === 0) return id;
  const patched = await instance.request('PATCH', `/v1/agents/${id}/profile`, { headers: session, body: profile });
  if (patched.status !== 200) throw new Error(`profile: ${patched.status} ${patched.text}`);
  return id;
}

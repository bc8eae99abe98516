import { AGENT_HEADER } from '@countersign/contracts';
import type { ApiKeyPowers } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';

/**
 * The agent of a request whose body does not name one: the only one of the key, else that of the header, else that of the
 * query. Whether the key may act as it is judged with the check.
 * @throws HttpRefusal 400 if none of them names an agent
 */
export function actingAgent({ agents }: Pick<ApiKeyPowers, 'agents'>, header: unknown, query?: unknown): string {
  const [only] = agents ?? [];
  if (only !== undefined && agents?.size === 1) return only;
  for (const given of [header, query]) if (typeof given === 'string' && given !== '') return given;
  throw new HttpRefusal(
    400,
    `this API key is valid for several agents: name the one that acts in the header ${AGENT_HEADER}, or use a key that is issued for it alone`,
  );
}

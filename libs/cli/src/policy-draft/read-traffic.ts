import type { BehaviorProfile, EventDetail, EventRecord } from '@countersign/contracts';
import { Api } from '../api-client/api.js';

export interface TrafficRequest {
  readonly baseUrl: string;
  readonly agentId: string;
  readonly email: string;
  readonly password: string;
  /** ISO 8601; `from` is inclusive, `to` is exclusive. */
  readonly from: string;
  readonly to: string;
  /** Most checks: the newest. */
  readonly most: number;
}

export interface Traffic {
  readonly profile: BehaviorProfile;
  /** In the order of the agent's log. */
  readonly checks: readonly EventDetail[];
  /** There are older ones in the range. */
  readonly truncated: boolean;
}

const PAGE = 500;
const AT_ONCE = 8;

/** Reads the recorded checks of an agent with their content, and its profile. @throws CommandFailed 1 with the service's error message */
export async function readTraffic({ baseUrl, agentId, email, password, ...range }: TrafficRequest): Promise<Traffic> {
  const api = new Api(baseUrl);
  try {
    const session = await api.login(email, password);
    const get = <T>(path: string): Promise<T> => api.json<T>('GET', path, session);
    const profile = await get<BehaviorProfile>(`/v1/agents/${encodeURIComponent(agentId)}/profile`);
    const { ids, truncated } = await newestIds(get, agentId, range);
    const details: EventDetail[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < ids.length) details.push(await get<EventDetail>(`/v1/events/${ids[next++]!}`));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return { profile, checks: details.toSorted((a, b) => a.sequence - b.sequence), truncated };
  } finally {
    api.close();
  }
}

interface Page {
  readonly events: readonly EventRecord[];
  readonly next: string | null;
}

async function newestIds(
  get: <T>(path: string) => Promise<T>,
  agentId: string,
  { from, to, most }: Pick<TrafficRequest, 'from' | 'to' | 'most'>,
): Promise<{ readonly ids: readonly string[]; readonly truncated: boolean }> {
  const ids: string[] = [];
  let before: string | null = null;
  do {
    const query = new URLSearchParams({ agentId, type: 'action.checked', from, to, total: 'false', limit: `${PAGE}` });
    if (before !== null) query.set('before', before);
    const page: Page = await get<Page>(`/v1/events?${query.toString()}`);
    ids.push(...page.events.map(({ eventId }) => eventId));
    before = page.next;
  } while (before !== null && ids.length < most);
  return { ids: ids.slice(0, most), truncated: before !== null || ids.length > most };
}

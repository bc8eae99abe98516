import { sendBy } from '@countersign/client';
import { isObject } from './message.js';

/** Maximum number of names per request. */
const MOST = 500;

/** Queries the tools that an agent may not use at all: `POST /v1/mcp/tools`. Nothing is recorded or counted. */
export class ToolRules {
  /** @param baseUrl without a trailing slash */
  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
    private readonly agentId: string,
    private readonly timeoutMs: number,
  ) {}

  /** @throws Error if the service answers with an error; CountersignError if it cannot be reached */
  async offLimits(names: readonly string[]): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (let from = 0; from < names.length; from += MOST) {
      const tools = names.slice(from, from + MOST);
      const { status, text } = await sendBy(fetch, {
        url: `${this.baseUrl}/v1/mcp/tools`,
        headers: { 'content-type': 'application/json', 'x-service-key': this.apiKey },
        body: JSON.stringify({ agentId: this.agentId, tools }),
        timeoutMs: this.timeoutMs,
      });
      if (status !== 200) throw new Error(`the service answered ${status} when asked about them`);
      const answer: unknown = JSON.parse(text);
      if (!isObject(answer) || !Array.isArray(answer['tools'])) throw new Error('the answer is not one of the service');
      for (const tool of answer['tools'] as readonly unknown[]) {
        if (isObject(tool) && tool['allowed'] === false && typeof tool['name'] === 'string') found.add(tool['name']);
      }
    }
    return found;
  }
}

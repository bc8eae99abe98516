import { Countersign } from '@countersign/client';
import { Instance } from '../../instance/instance.js';
import { newAgent } from '../../instance/new-agent.js';
import { eventually } from '../../instance/request.js';

/** Arguments of the call that waits. */
export const REFUND = { order: 'order-17', usd: 40 };

/** An installation whose agents may call `lookup`, and `refund` once a person has approved it. */
export class ApprovingAccount {
  private constructor(
    private readonly instance: Instance,
    private readonly headers: Record<string, string>,
  ) {}

  static async start(): Promise<ApprovingAccount> {
    const instance = await Instance.start();
    return new ApprovingAccount(instance, await instance.session());
  }

  discard(): Promise<void> {
    return this.instance.discard();
  }

  /** A client of a new agent. */
  async client(expiresSeconds = 600): Promise<{ readonly agentId: string; readonly countersign: Countersign }> {
    const rule = {
      id: 'refunds',
      effect: 'approve',
      tools: ['refund'],
      severity: 'P2',
      reason: 'A person approves refunds.',
    };
    const agentId = await newAgent(this.instance, this.headers, {
      rules: [{ ...rule, expires_seconds: expiresSeconds }],
    });
    const { apiKey, baseUrl } = this.instance.bootstrap;
    return { agentId, countersign: new Countersign({ apiKey, agentId, baseUrl }) };
  }

  /** Environment of an example that acts as this agent. */
  environment(agentId: string): Record<string, string | undefined> {
    const { apiKey, baseUrl } = this.instance.bootstrap;
    return {
      PATH: process.env['PATH'],
      COUNTERSIGN_API_KEY: apiKey,
      COUNTERSIGN_AGENT_ID: agentId,
      COUNTERSIGN_BASE_URL: baseUrl,
    };
  }

  /** Decides as the person of the account, once the request is known. */
  async decide(approvalId: string, decision: 'approve' | 'deny'): Promise<void> {
    await eventually('the approval can be decided', 30, async () => {
      const answer = await this.instance.request('POST', `/v1/approvals/${approvalId}/decide`, {
        headers: this.headers,
        body: { decision },
      });
      if (answer.status !== 200 && answer.status !== 404) throw new Error(`decide: ${answer.status} ${answer.text}`);
      return answer.status === 200 ? true : null;
    });
  }

  /** Waits until an approval has expired. */
  async ended(approvalId: string): Promise<void> {
    await eventually('the approval has expired', 30, async () => {
      const { json } = await this.instance.request('GET', `/v1/approvals/${approvalId}`, { headers: this.headers });
      return (json as { state?: string }).state === 'expired' ? true : null;
    });
  }

  /** Approvals that wait for a decision; at least one. */
  async waiting(agentId: string): Promise<readonly string[]> {
    const path = `/v1/approvals?status=pending&agentId=${agentId}`;
    return eventually('an approval waits', 30, async () => {
      const { json } = await this.instance.request('GET', path, { headers: this.headers });
      const ids = (json as { approvals: { id: string }[] }).approvals.map(({ id }) => id);
      return ids.length > 0 ? ids : null;
    });
  }

  /** Outcomes that were reported for the agent. */
  async outcomes(agentId: string): Promise<readonly string[]> {
    const path = `/v1/events?agentId=${agentId}&type=action.outcome`;
    const { json } = await this.instance.request('GET', path, { headers: this.headers });
    return (json as { events: { outcome: string }[] }).events.map(({ outcome }) => outcome);
  }
}

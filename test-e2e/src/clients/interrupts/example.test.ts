import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ApprovingAccount } from './approving-account.js';

const EXAMPLE = fileURLToPath(
  new URL('../../../../libs/client-js/examples/openai-agents-interrupt.mjs', import.meta.url),
);

describe('the example of a run that waits for a person', () => {
  let account: ApprovingAccount;
  beforeAll(async () => {
    account = await ApprovingAccount.start();
  }, 90_000);
  afterAll(() => account?.discard());

  it.each([
    ['approve', /^The tool said: paid 40 USD back for 17$/u],
    ['deny', /^The tool said: Not executed: .*A person has denied this action\./u],
  ] as const)('ends after the decision to %s', async (decision, said) => {
    const { agentId } = await account.client();
    const child = spawn(process.execPath, [EXAMPLE], {
      env: account.environment(agentId),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      const ended = once(child, 'exit');
      let last = '';
      for await (const line of createInterface({ input: child.stdout })) {
        const [, approvalId] = /^refund waits: decide at .*(apr_[\w-]+)$/u.exec(line) ?? [];
        if (approvalId !== undefined) {
          // Until the decision has reached the gateway, the run is interrupted again.
          if (last === '') await account.decide(approvalId, decision);
          child.stdin.write('\n');
        }
        last = line;
      }
      expect([last, await ended]).toEqual([expect.stringMatching(said), [0, null]]);
      expect(await account.outcomes(agentId)).toEqual(decision === 'approve' ? ['succeeded'] : []);
    } finally {
      child.kill();
    }
  });
});

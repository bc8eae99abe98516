import { welcome } from './welcome.js';

const credentials = {
  email: 'admin@countersign.localhost',
  password: 'p',
  apiKey: 'csn_live_x',
  accountId: 'a',
  agentId: 'b',
};
const addresses = { baseUrl: 'http://127.0.0.1:8080', mcpUrl: 'http://127.0.0.1:8080/mcp', solanaRpcUrl: '' };

describe('the output of a start', () => {
  it('has the link that signs in at a first start, at a name of its own and at the address', () => {
    const consoleLink = 'http://127.0.0.1:8080/console#/sign-in/token';
    const text = welcome('data', { addresses, firstStart: { credentials, isFirst: true }, consoleLink }, 1);
    expect(text).toContain(`  http://countersign.localhost:8080/console#/sign-in/token\n  ${consoleLink}\n`);
    const other = 'http://localhost:8080/console#/sign-in/token';
    const named = welcome('data', { addresses, firstStart: { credentials, isFirst: true }, consoleLink: other }, 1);
    expect(named.match(/sign-in/g)).toHaveLength(1);
  });

  it('has the address alone afterwards, and nothing secret', () => {
    const text = welcome('data', { addresses, firstStart: { credentials, isFirst: false }, consoleLink: null }, 1);
    expect(text).toContain('Console: http://127.0.0.1:8080/console\n');
    expect(text).not.toMatch(/sign-in|csn_live_/);
  });
});

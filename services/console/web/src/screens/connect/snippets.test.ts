import { baseUrlOf, snippetOf, SNIPPETS } from './snippets.js';

const AGENT = '11111111-1111-4111-8111-111111111111';

describe('the address that snippets name', () => {
  it.each([
    ['http://127.0.0.1:8080/console', 'http://127.0.0.1:8080'],
    ['http://countersign.localhost:8080/console#/agents', 'http://127.0.0.1:8080'],
    ['https://example.com/console', 'https://example.com'],
    ['https://example.com/proof/office/console', 'https://example.com/proof/office'],
    ['http://[::1]:8080/console', 'http://[::1]:8080'],
  ])('of %s is %s', (page, address) => {
    expect(baseUrlOf(page)).toBe(address);
  });
});

describe('a snippet', () => {
  it.each(SNIPPETS)('%s names the caller, and is one text whatever the address holds', (name) => {
    const caller = { baseUrl: `https://example.com/it's $(id)`, agentId: AGENT, apiKey: 'csn_live_x' };
    const text = snippetOf(name, caller);
    expect(text).toContain(AGENT);
    expect(text).toContain('csn_live_x');
    if (name === 'mcp') {
      const { mcpServers } = JSON.parse(text) as { mcpServers: Record<string, { env: Record<string, string> }> };
      expect(mcpServers['files']!.env['COUNTERSIGN_BASE_URL']).toBe(caller.baseUrl);
    } else expect(text).toContain(`'https://example.com/it'\\''s $(id)`);
  });
});

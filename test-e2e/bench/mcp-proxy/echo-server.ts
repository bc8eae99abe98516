import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

/** A server of the official SDK with a no-op tool. */
const server = new McpServer({ name: 'echo', version: '1' });
server.registerTool('echo', {}, () => ({ content: [{ type: 'text', text: 'a line of text, as tools answer' }] }));
await server.connect(new StdioServerTransport());

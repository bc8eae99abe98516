import { join } from 'node:path';
import type { Instance } from './instance.js';

/** A check of the new account, as a shell command. */
function curlLine(baseUrl: string, apiKey: string, agentId: string): string {
  const body = JSON.stringify({ agentId, action: { type: 'http_call', url: 'https://api.example.com/v1/orders' } });
  return `curl -sS ${baseUrl}/v1/check -H 'content-type: application/json' -H 'x-service-key: ${apiKey}' -d '${body}'`;
}

/**
 * Cookies of a host are sent to all of its ports: a name of its own keeps the session from other servers of this machine.
 * Browsers resolve it to loopback; the second line is for those that do not.
 */
function linkLines(link: string): readonly string[] {
  const named = link.replace('http://127.0.0.1:', 'http://countersign.localhost:');
  return named === link ? [`  ${link}`] : [`  ${named}`, `  ${link}`];
}

/** Output of a start once everything is ready. The key is shown only at the first start. */
export function welcome(
  dataDir: string,
  { addresses, firstStart, consoleLink }: Pick<Instance, 'addresses' | 'firstStart' | 'consoleLink'>,
  seconds: number,
): string {
  const { credentials, isFirst } = firstStart;
  const lines = [`Countersign is ready at ${addresses.baseUrl} (${seconds.toFixed(1)} s)`];
  const file = join(dataDir, 'bootstrap.json');
  if (credentials === null) lines.push(`There are accounts in ${dataDir}, but no bootstrap.json: log in as you know.`);
  else lines.push(`Login, API key and addresses: ${file}`);
  if (consoleLink === null) lines.push(`Console: ${addresses.baseUrl}/console`);
  else lines.push('Console, signs you in once within 15 minutes:', '', ...linkLines(consoleLink), '');
  if (credentials !== null && isFirst) {
    lines.push(
      'Ask whether an action is allowed:',
      '',
      `  ${curlLine(addresses.baseUrl, credentials.apiKey, credentials.agentId)}`,
      '',
    );
  }
  lines.push(`Every route, to read and to try: ${addresses.baseUrl}/docs`);
  lines.push('Stop it with Ctrl-C.');
  return `${lines.join('\n')}\n`;
}

import { spawn } from 'node:child_process';
import { inheritedEnvironment } from '@countersign/process/client-environment';
import type { HookRun, Json } from './tool-setups.js';

const LONGEST_MS = 40_000;

/** The entry itself, where a group holds it. */
export function entryIn(entry: Json): Json {
  const { hooks } = entry;
  return Array.isArray(hooks) ? ((hooks[0] ?? {}) as Json) : entry;
}

/** Runs an entry as its tool would: its command with the body as input, or a request. Never rejects. */
export async function runHook(given: Json, body: Json, env: Readonly<Record<string, string>>): Promise<HookRun> {
  const entry = entryIn(given);
  if (entry['type'] === 'http') return runRequest(entry, body, env);
  const command = entry['command'] ?? entry['bash'];
  if (typeof command !== 'string') return { code: null, stdout: '', stderr: 'the hook has no command' };
  return runCommand(command, body, env);
}

function runCommand(command: string, body: Json, env: Readonly<Record<string, string>>): Promise<HookRun> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], { env: { ...inheritedEnvironment(), ...env }, timeout: LONGEST_MS });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => resolve({ code: null, stdout, stderr: error.message }));
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(JSON.stringify(body));
  });
}

async function runRequest(entry: Json, body: Json, env: Readonly<Record<string, string>>): Promise<HookRun> {
  const variables = { ...inheritedEnvironment(), ...env };
  const allowed = (entry['allowedEnvVars'] ?? []) as readonly string[];
  const expanded = (text: string): string =>
    text.replace(/\$\{?(\w+)\}?/g, (_whole, name: string) => (allowed.includes(name) ? (variables[name] ?? '') : ''));
  const headers = Object.entries((entry['headers'] ?? {}) as Readonly<Record<string, string>>);
  try {
    const response = await fetch(String(entry['url']), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...Object.fromEntries(headers.map(([name, value]) => [name, expanded(value)])),
      },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(Number(entry['timeout'] ?? 30) * 1000),
    });
    const text = await response.text();
    return response.ok
      ? { code: 0, stdout: text, stderr: '' }
      : { code: 1, stdout: '', stderr: `${response.status} ${text.slice(0, 200)}` };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { code: 1, stdout: '', stderr: cause instanceof Error ? cause.message : String(cause) };
  }
}

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const root = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const text = (path: string): string => readFileSync(root(path), 'utf8');

const { groups } = parse(text('deploy/prometheus/rules.yml')) as { groups: readonly { rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

/** The nodes of an expression of PromQL, as kind and text. */
function nodes(expr: string): { kind: string; text: string; isError: boolean }[] {
  const found: { kind: string; text: string; isError: boolean }[] = [];
  parser.parse(expr).iterate({
    enter: ({ name, from, to, type }) => {
      found.push({ kind: name, text: expr.slice(from, to), isError: type.isError });
    },
  });
  return found;
}

const named = (expr: string, kind: string): string[] =>
  nodes(expr)
    .filter((node) => node.kind === kind)
    .map((node) => node.text);

function certificateIn(folder: string): Record<string, string> {
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile];
  const itself = ['-x509', '-days', '90', '-subj', '/CN=localhost', '-out', certFile];
  execFileSync('openssl', ['req', ...key, ...itself], { stdio: 'pipe' });
  return { COUNTERSIGN_TLS_CERT_FILE: certFile, COUNTERSIGN_TLS_KEY_FILE: keyFile };
}

describe('the alert rules', () => {
  const folder = mkdtempSync(join(tmpdir(), 'alert-rules-'));
  let instance: Instance;
  let metrics = '';

  beforeAll(async () => {
    instance = await Instance.start({ env: certificateIn(folder) });
    const { email } = instance.bootstrap;
    const session = await instance.session();
    await instance.check({ type: 'tool_use', toolName: 't' });
    const wrong = { body: { email, password: 'not this one' } };
    expect((await instance.request('POST', '/v1/auth/login', wrong)).status).toBe(401);
    // Without the header that a page of another origin cannot set.
    expect((await instance.request('POST', '/v1/session', wrong)).status).toBe(403);
    for (const path of ['start', 'callback']) {
      expect((await instance.request('GET', `/v1/auth/oidc/${path}`)).status).toBe(404);
    }
    const range = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T00:00:00.000Z' };
    await instance.request('POST', '/v1/events/export-signed', { headers: session, body: range });
    await instance.request('POST', '/v1/report-series', { headers: session, body: {} });
    metrics = await eventually('the figures of anchoring', 30, async () => {
      const { text: shown } = await instance.request('GET', '/metrics');
      return /^countersign_anchor_last_window_age_seconds /m.test(shown) ? shown : null;
    });
  }, 90_000);
  afterAll(async () => {
    await instance.discard();
    rmSync(folder, { recursive: true });
  });

  it.each(rules)('$alert is an expression of PromQL over metrics that are published', ({ expr }) => {
    expect(nodes(expr).filter(({ isError }) => isError)).toEqual([]);
    const names = named(expr, 'Identifier').filter((name) => name !== 'up' && name.includes('_'));
    for (const name of names.filter((one) => one.startsWith('countersign_'))) {
      expect(metrics).toMatch(new RegExp(`^# TYPE ${name.replace(/_(bucket|count|sum)$/, '')}(_total)? `, 'm'));
    }
  });

  it('are of an instance with a certificate, which calls its own routes by it', async () => {
    expect(instance.bootstrap.baseUrl).toMatch(/^https:/);
    const action = { type: 'tool_use', toolName: 't' };
    const call = { name: 'check_action', arguments: { agentId: instance.bootstrap.agentId, action } };
    const { status, text: answer } = await instance.request('POST', '/mcp', {
      headers: {
        authorization: `Bearer ${instance.bootstrap.apiKey}`,
        accept: 'application/json, text/event-stream',
      },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
    });
    expect([status, answer]).toEqual([200, expect.stringMatching(/allowed\\?":true/)]);
  });

  it('name the routes that the requests are counted under', () => {
    const counted = new Set(
      [...metrics.matchAll(/^countersign_http_request_duration_seconds_count\{([^}]*)\}/gm)].map(
        ([, labels]) => labels,
      ),
    );
    const has = (...parts: string[]): boolean =>
      [...counted].some((labels) => parts.every((part) => labels!.includes(part)));
    expect(has('method="POST"', 'route="/v1/auth/login"', 'status="401"')).toBe(true);
    expect(has('method="POST"', 'route="/v1/session"')).toBe(true);
    expect(has('method="POST"', 'route="/v1/events/export-signed"')).toBe(true);
    expect(has('method="POST"', 'route="/v1/report-series"')).toBe(true);
    expect(has('method="GET"', 'route="/v1/auth/oidc/start"')).toBe(true);
    expect(has('method="GET"', 'route="/v1/auth/oidc/callback"')).toBe(true);
    expect(metrics).toMatch(/^countersign_check_duration_seconds_bucket\{le="0\.05"\} /m);
    expect(metrics).toMatch(/^countersign_single_sign_on_refused_total\{[^}]*reason="unavailable"[^}]*\} 0$/m);
  });

  it('have a runbook each, which the overview links', () => {
    const overview = text('deploy/README.md');
    for (const { alert, annotations } of rules) {
      expect([alert, existsSync(root(annotations.runbook))]).toEqual([alert, true]);
    }
    for (const page of readdirSync(root('deploy/runbooks'))) expect(overview).toContain(`runbooks/${page}`);
  });
});

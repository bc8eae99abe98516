/**
 * Checks that the edge proxy sends every route of the contract to its service and refuses internal routes: nginx with
 * deploy/edge/countersign.conf.template, in front of servers that answer with their names.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { everyRoute, fillTemplate } from '@countersign/contracts';

const HOUSE = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const SERVICES = [
  'gateway',
  'identity',
  'policy',
  'audit-log',
  'alerts',
  'reporting',
  'verification',
  'mcp',
  'console',
];
const problems = [];
const expect = (what, found, wanted) => {
  if (found !== wanted) problems.push(`${what}: ${found} instead of ${wanted}`);
};

const servers = await Promise.all(
  SERVICES.map(async (name) => {
    const server = createServer((request, response) => {
      response.setHeader('x-service', name);
      response.setHeader('x-seen-address', request.headers['x-countersign-client-address'] ?? '');
      request.resume().on('end', () => response.end(request.url));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return [name, server];
  }),
);

async function freePort() {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

const folder = mkdtempSync(join(tmpdir(), 'countersign-edge-'));
const port = await freePort();
const variables = {
  EDGE_LISTEN: `127.0.0.1:${port}`,
  EDGE_RESOLVER: '127.0.0.1',
  EDGE_TRUSTED_PROXIES: 'set_real_ip_from 127.0.0.2;',
  ...Object.fromEntries(
    servers.map(([name, server]) => [
      `EDGE_${name.toUpperCase().replace('-', '_')}`,
      `127.0.0.1:${server.address().port}`,
    ]),
  ),
};
const template = readFileSync(join(HOUSE, 'deploy/edge/countersign.conf.template'), 'utf8');
const site = template.replaceAll(/\$\{([A-Z_]+)\}/g, (whole, name) => variables[name] ?? whole);
writeFileSync(
  join(folder, 'nginx.conf'),
  `daemon off; pid ${folder}/pid; error_log stderr warn; worker_processes 1;
events { worker_connections 256; }
http { access_log ${folder}/access.log; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;\n${site}\n}\n`,
);
const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
  stdio: ['ignore', 'ignore', 'pipe'],
});
let logged = '';
nginx.stderr.on('data', (chunk) => {
  logged += chunk;
  process.stderr.write(chunk);
});
const ended = once(nginx, 'exit');

async function ask(method, path, headers = {}) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers,
    ...(method === 'GET' || method === 'DELETE' ? {} : { body: '{}' }),
  });
  return { status: response.status, service: response.headers.get('x-service'), response, text: await response.text() };
}

/** The caller's address that a service receives for a request from `localAddress`. */
function seenFrom(localAddress, headers) {
  return new Promise((done, failed) => {
    request({ host: '127.0.0.1', port, path: '/v1/keys', localAddress, headers }, (response) => {
      response.resume().on('end', () => done(response.headers['x-seen-address']));
    })
      .on('error', failed)
      .end();
  });
}

try {
  for (let turn = 0; ; turn += 1) {
    const up = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null);
    if (up?.status === 200) break;
    if (turn === 100) throw new Error('nginx does not answer');
    await sleep(50);
  }
  for (const { method, path, service } of everyRoute) {
    const asked = path.replaceAll(/\{[^}]+\}/g, '0198a1b2-0000-7000-8000-000000000001');
    const { service: found, text } = await ask(method, `${asked}?a=%2F..&b=1`);
    expect(`${method} ${path}`, found, service);
    expect(`${method} ${path}, as it was sent`, text, `${asked}?a=%2F..&b=1`);
  }
  for (const path of ['/v1/openapi.json', '/docs', '/docs/page.js', '/.well-known/authzen-configuration']) {
    expect(path, (await ask('GET', path)).service, 'gateway');
  }
  expect('/', (await ask('GET', '/')).service, 'console');
  for (const path of ['/internal/event-archive/range', '/metrics', '/v1', '/v1/checks', '/v1/nothing', '//v1/check/']) {
    const { status, service } = await ask('POST', path);
    expect(path, `${status} ${service}`, '404 null');
  }
  const spoofed = await ask('POST', '/v1/check', { 'x-countersign-client-address': '10.0.0.1' });
  expect('the address of the caller', spoofed.response.headers.get('x-seen-address'), '127.0.0.1');
  const forwarded = { 'x-forwarded-for': '198.51.100.1, 203.0.113.9', 'x-real-ip': '198.51.100.2' };
  expect('the address of a caller who names another', await seenFrom('127.0.0.1', forwarded), '127.0.0.1');
  expect('the address that a trusted proxy reports', await seenFrom('127.0.0.2', forwarded), '203.0.113.9');
  for (const [, server] of servers) {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
  const away = await ask('GET', '/v1/account');
  expect('an unavailable service', `${away.status} ${away.response.headers.get('retry-after')}`, '503 1');
  expect('its body', typeof JSON.parse(away.text).error, 'string');
  // The path of a shared report is its credential.
  const token = 'a-token-that-no-log-may-hold';
  expect('a shared report', (await ask('GET', `/v1/shared/${token}`)).status, 503);
  await ask('GET', '/v1/reports/another');
  for (let turn = 0; turn < 40 && !logged.includes('/v1/reports/another'); turn += 1) await sleep(50);
  const logs = logged + readFileSync(join(folder, 'access.log'), 'utf8');
  expect('a path in the logs', logs.includes('/v1/reports/another'), true);
  expect('the token of a link in the logs', logs.includes(token), false);
  const held = JSON.parse((await ask('POST', '/v1/check')).text);
  expect('a check without a decision', `${held.allowed} ${held.code}`, 'false unavailable');
  for (const { path, refusedAs } of everyRoute.filter(({ refusedAs }) => refusedAs?.status === 200)) {
    const denied = await ask('POST', path);
    const shape = JSON.stringify(fillTemplate(refusedAs.body, 'x'), (_name, value) =>
      value === 'x' ? undefined : value,
    );
    const found = JSON.stringify(JSON.parse(denied.text), (_name, value) =>
      typeof value === 'string' && value.includes(' ') ? undefined : value,
    );
    expect(`${path} without a decision`, `${denied.status} ${found}`, `200 ${shape}`);
  }
} finally {
  nginx.kill('SIGTERM');
  await ended;
  for (const [, server] of servers) server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems) console.error(`  ${problem}`);
console.log(
  `edge: ${everyRoute.length} routes, ${problems.length === 0 ? 'each to its service' : `${problems.length} problems`}`,
);
process.exitCode = problems.length === 0 ? 0 : 1;

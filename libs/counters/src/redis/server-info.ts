const FIRST_VERSION = 7;

/** One start of one server: it changes when Redis restarts and when another server takes over. */
export function serverRun(info: string): string {
  return field(info, 'run_id') ?? '';
}

/** The reason why a server cannot hold the counters, by its `INFO`; `null` when it can. */
export function serverProblem(info: string): string | null {
  const version = field(info, 'redis_version') ?? '0';
  if (Number.parseInt(version, 10) < FIRST_VERSION) return `Redis ${version} is too old: version 7 or later is needed`;
  const mode = field(info, 'redis_mode');
  if (mode === 'cluster') return 'Redis runs as a cluster: the counters need a single primary';
  if (mode === 'sentinel') return 'the address is that of a Sentinel: the counters need that of the primary';
  if (field(info, 'loading') === '1') return 'Redis is loading its data';
  if (field(info, 'role') !== 'master') return 'Redis is a replica: the counters need the primary';
  const policy = field(info, 'maxmemory_policy') ?? 'noeviction';
  if (field(info, 'maxmemory') !== '0' && policy !== 'noeviction') {
    return `Redis may drop what is counted (maxmemory-policy ${policy}): it must be noeviction`;
  }
  if (serverRun(info) === '') return 'Redis does not report its run id';
  return null;
}

function field(info: string, name: string): string | null {
  const begin = info.indexOf(`\n${name}:`);
  if (begin === -1) return null;
  const end = info.indexOf('\r', begin);
  return info.slice(begin + name.length + 2, end === -1 ? undefined : end);
}

import { PRELUDE, SERVING } from './prelude.js';
import { TOTALS } from './totals.js';

/** Whether they serve. KEYS: state. */
export const LOOK = `${PRELUDE}${SERVING}
return {1}
`;

/** `Counters.now`. KEYS: state. */
export const NOW = `${PRELUDE}
return {1, clock()}
`;

/** `Counters.raise`. KEYS: state, what has the version. ARGV from 4: version, and where nobody asks after a while how long it is kept, ms. */
export const RAISE = `${PRELUDE}
local version = tonumber(ARGV[4])
if version > (tonumber(call('HGET', KEYS[2], 'v')) or -1) then call('HSET', KEYS[2], 'v', whole(version)) end
if ARGV[5] then call('PEXPIRE', KEYS[2], ARGV[5]) end
return {1}
`;

/** `Counters.version`. KEYS: state, what has the version. */
export const VERSION = `${PRELUDE}${SERVING}
return {1, call('HGET', KEYS[2], 'v')}
`;

/** `Counters.freeze`. KEYS: state, agent. ARGV from 4: time. Newest freeze and newest unfreeze only rise. */
export const FREEZE = `${PRELUDE}
local h = call('HMGET', KEYS[2], 'f', 'u')
local at = tonumber(ARGV[4])
if at > (tonumber(h[2]) or 0) and at > (tonumber(h[1]) or 0) then call('HSET', KEYS[2], 'f', whole(at)) end
return {1}
`;

/** `Counters.unfreeze`. KEYS: state, agent. */
export const UNFREEZE = `${PRELUDE}
local h = call('HMGET', KEYS[2], 'f', 'u')
local at = max(clock(), tonumber(h[1]) or 0, tonumber(h[2]) or 0)
call('HSET', KEYS[2], 'u', whole(at))
return {1, at}
`;

/** `Counters.isFrozen`. KEYS: state, agent. */
export const IS_FROZEN = `${PRELUDE}${SERVING}
local h = call('HMGET', KEYS[2], 'f', 'u')
return {1, (tonumber(h[1]) or 0) > (tonumber(h[2]) or 0) and 1 or 0}
`;

/** `Counters.usage`. KEYS: state, account. */
export const USAGE = `${PRELUDE}${SERVING}${TOTALS}
local a = account_of(KEYS[2])
local month = month_of(floor(clock() / DAY))
return {1, a.p >= month and a.n or 0, a.t, max(a.p, month)}
`;

/**
 * Start of every script. `KEYS[1]` is the state; `ARGV[1]` the run of Redis that the caller is connected to, `ARGV[2]`
 * the time of Redis (ms) at which the caller gives up, `ARGV[3]` the clock of tests, else empty.
 *
 * A reply is an array whose first member is a code of `replies.ts`. A script whose caller has given up has no effect.
 * `clock()` follows the rules of `SlewedClock` on the time of Redis and stores its result, so that it never decreases.
 */
export const PRELUDE = `
local call, floor, max = redis.call, math.floor, math.max
local MOST, DAY, CLAIM = 9007199254740991, 86400000, 86400000
local function whole(n) return string.format('%.0f', n) end
local st = call('HMGET', KEYS[1], 'run', 'serving', 'gen', 'time', 'read', 'since')
local t = call('TIME')
local wall = t[1] * 1000 + t[2] / 1000
if ARGV[2] ~= '' and wall > tonumber(ARGV[2]) then return {-1} end
local gen = st[3]
local function keep_time(time)
  st[4], st[5] = time, wall
  call('HSET', KEYS[1], 'time', string.format('%.3f', time), 'read', string.format('%.3f', wall))
end
local function clock()
  if ARGV[3] ~= '' then return tonumber(ARGV[3]) end
  local time, read = tonumber(st[4]), tonumber(st[5])
  if not time then
    keep_time(wall)
    return floor(wall)
  end
  local passed = max(0, wall - read)
  local now = time + passed <= wall and wall or max(time + passed / 2, wall)
  if floor(now) > floor(time) or wall < read then keep_time(now) end
  return floor(now)
end
local function month_of(day)
  local z = day + 719468
  local era = floor(z / 146097)
  local doe = z - era * 146097
  local yoe = floor((doe - floor(doe / 1460) + floor(doe / 36524) - floor(doe / 146096)) / 365)
  local mp = floor((5 * (doe - (365 * yoe + floor(yoe / 4) - floor(yoe / 100))) + 2) / 153)
  local month = mp < 10 and mp + 3 or mp - 9
  return (yoe + era * 400 + (month <= 2 and 1 or 0)) * 12 + month - 1
end
local function ms_ahead(now) return ARGV[3] == '' and max(0, now - floor(wall)) or 0 end
`;

/** Returns early unless the counters serve. */
export const SERVING = `
if st[1] ~= ARGV[1] then return {0} end
if st[2] ~= '1' then return {-2} end
`;

/** Returns early in another run of Redis than the counts; a rebuild may be in progress. */
export const SAME_RUN = `
if st[1] ~= ARGV[1] then return {0} end
`;

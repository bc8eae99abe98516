/**
 * Claims of idempotency keys, packed: 1 generation, 2 hash of the body, 3 time, 4 the answer or false; with an answer 5
 * the version of the profile that allowed it (0: a denial, -1: unknown), while it is open 5 agent, 6 frozen, 7 account
 * version, 8 agent version, 9 entropy, 10 attempts, 11 counts an action, 12 cost, 13 counts towards the rate, 14
 * outcome, 15 finding, 16 counted, 17 fits at, 18 the facts of the judgement, 19 version of the profile, 23 the answered
 * claim in whose place it is open, if there was one.
 *
 * Each account's claims of a generation are listed by time in a sorted set, the open ones after all answered ones.
 * Their number, and the number of each account, are stored as well.
 */
export const CLAIMS = `
local ALLOW_REPLAY, OPEN = 600000, 100000000000000
local name = string.sub(KEYS[1], 1, -6)
local figures, sizes = name .. 'claims:' .. (gen or ''), name .. 'sizes:' .. (gen or '')
local function claim_of(key, now)
  local raw = call('GET', key)
  if not raw then return nil end
  local c = cmsgpack.unpack(raw)
  if c[1] ~= gen or now - c[3] >= CLAIM then return nil end
  return c
end
local function list_of(account) return name .. 'i:' .. account .. ':' .. gen end
local function held(account, all, open)
  if all ~= 0 then
    call('HINCRBY', figures, 'all', all)
    if tonumber(call('ZINCRBY', sizes, all, account)) <= 0 then call('ZREM', sizes, account) end
  end
  if open ~= 0 then call('HINCRBY', figures, 'open', open) end
end
local function list(account, key, at, open)
  local score = open and OPEN + at or at
  if call('ZADD', list_of(account), whole(score), key) == 1 then held(account, 1, open and 1 or 0) end
  call('PEXPIRE', list_of(account), CLAIM + 3600000)
end
local function list_answered(account, key, at)
  if call('ZADD', list_of(account), 'XX', 'CH', whole(at), key) == 1 then held(account, 0, -1) end
end
local function unlist(account, key)
  local score = tonumber(call('ZSCORE', list_of(account), key))
  if score and call('ZREM', list_of(account), key) == 1 then held(account, -1, score >= OPEN and -1 or 0) end
end
local function put_claim(key, c, now)
  local left = max(1, c[3] + CLAIM - now)
  call('SET', key, cmsgpack.pack(c), 'PX', whole(left + math.min(left, ms_ahead(now)) + 60000))
end
local function in_place_of(former, c)
  if former then
    for i = 20, 22 do c[i] = c[i] or false end
    c[23] = former
  end
  return c
end
-- Drops an open claim that came to nothing: the answered one in whose place it was stays, until it expires.
local function release(key, c, account, short, now)
  unlist(account, short)
  local former = c[23]
  if not former or now - former[3] >= CLAIM then return call('DEL', key) end
  list(account, short, former[3], false)
  put_claim(key, former, now)
end
local function trimmed(account, now)
  local claims = list_of(account)
  local answered = call('ZREMRANGEBYSCORE', claims, '-inf', whole(now - CLAIM))
  local open = call('ZREMRANGEBYSCORE', claims, whole(OPEN), whole(OPEN + now - CLAIM))
  held(account, -answered - open, -open)
  return call('ZCARD', claims)
end
local function evict(account)
  local oldest = call('ZRANGE', list_of(account), 0, 0, 'WITHSCORES')
  if not oldest[1] or tonumber(oldest[2]) >= OPEN then return false end
  call('ZREM', list_of(account), oldest[1])
  call('DEL', name .. 'c:' .. account .. ':' .. oldest[1])
  held(account, -1, 0)
  call('HINCRBY', figures, 'evicted', 1)
  return true
end
local function full(most) return tonumber(call('HGET', figures, 'all') or 0) >= most end
local function bound_without_room(account, now, most_all, most_own)
  if trimmed(account, now) >= most_own and not evict(account) then return most_own end
  if not full(most_all) then return nil end
  local largest = call('ZREVRANGE', sizes, 0, 0)[1]
  if largest then
    trimmed(largest, now)
    if not full(most_all) or evict(largest) then return nil end
  end
  return not evict(account) and most_all or nil
end
`;

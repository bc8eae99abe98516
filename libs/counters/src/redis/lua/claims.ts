/**
 * Claims of idempotency keys, packed: 1 generation, 2 hash of the body, 3 time, 4 the answer or false, and while it is
 * open 5 agent, 6 frozen, 7 account version, 8 agent version, 9 entropy, 10 attempts, 11 counts an action, 12 cost,
 * 13 counts towards the rate, 14 outcome, 15 what was found, 16 counted, 17 fits at, 18 the facts of the judgement.
 * How many are remembered is counted by spans of ten minutes, each forgotten as a whole, so that no list is needed.
 */
export const CLAIMS = `
local SPAN = 600000
local function claim_of(key, now)
  local raw = call('GET', key)
  if not raw then return nil end
  local c = cmsgpack.unpack(raw)
  if c[1] ~= gen or now - c[3] >= CLAIM then return nil end
  return c
end
local function put_claim(key, c, now)
  local left = max(1, c[3] + CLAIM - now)
  call('SET', key, cmsgpack.pack(c), 'PX', whole(left + math.min(left, ms_ahead(now)) + 60000))
end
local function remembered(key, now)
  local h = call('HMGET', key, 'e', 'all', 'oldest')
  local first = floor((now - CLAIM) / SPAN)
  if h[1] ~= gen then
    call('DEL', key)
    call('HSET', key, 'e', gen, 'all', '0', 'oldest', whole(first))
    return 0
  end
  local all, oldest = tonumber(h[2]), tonumber(h[3])
  if oldest >= first then return all end
  if first - oldest > 1000 then
    local spans = call('HKEYS', key)
    for i = 1, #spans do
      local span = tonumber(spans[i])
      if span and span < first then
        all = all - tonumber(call('HGET', key, spans[i]))
        call('HDEL', key, spans[i])
      end
    end
  else
    for span = oldest, first - 1 do
      local count = call('HGET', key, whole(span))
      if count then
        all = all - tonumber(count)
        call('HDEL', key, whole(span))
      end
    end
  end
  call('HSET', key, 'all', whole(all), 'oldest', whole(first))
  return all
end
local function tally(key, at, change)
  local span = whole(floor(at / SPAN))
  if change < 0 and call('HEXISTS', key, span) == 0 then return end
  call('HINCRBY', key, span, change)
  call('HINCRBY', key, 'all', change)
end
`;

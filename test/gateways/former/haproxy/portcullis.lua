-- Asks Portcullis about a request and leaves the answer in variables of the transaction. It opens nothing by itself: the
-- rules in haproxy.cfg let a request pass only where txn.portcullis_decision is "allow", so an error in here is a refusal.

-- decision.secret. Read once, before HAProxy gives up its rights.
local secret = os.getenv('PORTCULLIS_SECRET') or ''

-- The listener of haproxy.cfg that stands for the decision listener. httpclient by itself keeps no connections, has no
-- time limit to connect, and repeats; a backend of HAProxy has all that as settings.
local ask = { url = 'http://portcullis/forward-auth', dst = 'abns@portcullis', timeout = 4000 }

-- What the decision rests on. Nothing else of the client's is sent: no length, no framing, no header for this hop.
local asked = {
  'authorization', 'cookie', 'accept-language', 'origin', 'sec-fetch-site', 'x-requested-with', 'user-agent',
}

local identity = {
  user_id = 'x-portcullis-user-id',
  username = 'x-portcullis-username',
  role_id = 'x-portcullis-role-id',
  role_key = 'x-portcullis-role-key',
  data_scope = 'x-portcullis-data-scope',
}

-- The one value of a header, or nothing: of two, neither is to be believed.
local function single(headers, name)
  local values = headers[name]
  if values == nil or values[0] == nil or values[1] ~= nil then return nil end
  return values[0]
end

-- Every line of a header: two Authorization lines are a refusal, and Portcullis has to see both. HAProxy counts from 0.
local function every(headers, name)
  local values = {}
  local index = 0
  while headers[name] ~= nil and headers[name][index] ~= nil do
    values[index + 1] = headers[name][index]
    index = index + 1
  end
  return values
end

-- As it was sent: a decision on a path that was decoded or cleaned is one about another path. HTTP/2 sends the path by
-- itself, and HAProxy puts the host before it. What has no path is "-", which is not canonical.
local function target(txn)
  if txn.sf:req_ver():match('^1%.') then return txn.sf:url() end
  local path = txn.sf:pathq()
  return path ~= '' and path or '-'
end

local function question(txn)
  local sent = txn.http:req_get_headers()
  local headers = {}
  for _, name in ipairs(asked) do
    local values = every(sent, name)
    if #values > 0 then headers[name] = values end
  end
  headers['x-portcullis-secret'] = { secret }
  headers['x-forwarded-method'] = { txn.sf:method() }
  headers['x-forwarded-uri'] = { target(txn) }
  return headers
end

local function allow(txn, headers)
  -- Only an answer that names a user opens the way.
  if (single(headers, identity.user_id) or ''):match('^%d+$') == nil then return end
  for name, header in pairs(identity) do
    txn:set_var('txn.portcullis_' .. name, single(headers, header) or '')
  end
  txn:set_var('txn.portcullis_decision', 'allow')
end

local function refuse(txn, headers)
  local status = single(headers, 'x-portcullis-status')
  local body = single(headers, 'x-portcullis-body')
  if body == nil or not (status == '200' or status == '404' or status == '503') then return end
  txn:set_var('txn.portcullis_status', status)
  txn:set_var('txn.portcullis_body', body)
  txn:set_var('txn.portcullis_reason', single(headers, 'x-auth-reason') or '')
end

core.register_action('portcullis', { 'http-req' }, function(txn)
  local answer = core.httpclient():head({
    url = ask.url, dst = ask.dst, timeout = ask.timeout, headers = question(txn),
  })
  if answer == nil or answer.headers == nil then return end
  local request_id = single(answer.headers, 'x-request-id')
  if request_id ~= nil then txn:set_var('txn.portcullis_request_id', request_id) end
  if answer.status == 200 then allow(txn, answer.headers) else refuse(txn, answer.headers) end
end, 0)

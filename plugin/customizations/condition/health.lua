-- What the conditions of the kinds of this rule mean, by status. The last condition
-- that means something counts; the others only report how far their controller is.
local meanings = {
  True = {
    Available = "Healthy",
    NetworkCreated = "Healthy",
    Ready = "Healthy",
    Reconciled = "Healthy",
    Successful = "Healthy",
    Ignored = "Suspended", -- no node matches the policy
    Degraded = "Degraded",
    Failure = "Degraded",
    TargetConfigControllerDegraded = "Degraded",
  },
  False = {
    NetworkCreated = "Degraded",
    Reconciled = "Degraded",
    TargetConfigControllerDegraded = "Healthy",
  },
}

-- What the KubeDescheduler's operator reports until KubeVirt runs, and until a reboot has
-- brought PSI. Argo CD's Lua has no string library.
local awaited = {}
for _, profile in ipairs((obj.spec or {}).profiles or {}) do
  awaited["profile " .. profile .. " can only be used when KubeVirt is properly deployed"] = true
  awaited["profile " .. profile .. " can only be used when PSI metrics are enabled for the worker nodes"] = true
end

-- The operator for node features also reports Degraded while its pods start.
local starts = obj.kind == "NodeFeatureDiscovery"

local result = { status = "Progressing", message = "Waiting for its controller" }
for _, c in ipairs((obj.status or {}).conditions or {}) do
  local meaning = (meanings[c.status] or {})[c.type]
  local text = c.type
  if c.message ~= nil and c.message ~= "" then
    text = c.message
  elseif c.reason ~= nil and c.reason ~= "" then
    text = c.reason
  end
  if meaning == "Degraded" and (starts or awaited[text]) then
    meaning = "Progressing"
  end
  if meaning ~= nil then
    result = { status = meaning, message = text, found = true }
  elseif not result.found then
    result.message = text
  end
end
return { status = result.status, message = result.message }

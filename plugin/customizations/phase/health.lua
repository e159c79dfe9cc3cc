-- What a phase means is the same in all kinds of this rule that have it; any other
-- is on its way to one of these.
local meanings = {
  Complete = "Healthy",
  Enabled = "Healthy",
  Ready = "Healthy",
  Remediating = "Healthy", -- the check does its work; the node is what is ill
  Skipped = "Healthy", -- nothing to export
  Succeeded = "Healthy",
  Terminated = "Healthy", -- an export whose time is up
  Paused = "Suspended",
  RequiresApproval = "Suspended",
  Disabled = "Degraded",
  Failed = "Degraded",
}

local status = obj.status or {}
local phase = status.phase or status.syncStatus
if phase == nil or phase == "" then
  return { status = "Progressing", message = "Waiting for its controller" }
end

local message = phase
local reason = status.message or status.reason or status.lastSyncError
for _, c in ipairs(status.conditions or {}) do
  reason = reason or (c.status == "True" and c.message) or nil
end
if reason ~= nil and reason ~= "" then
  message = phase .. ": " .. reason
end
return { status = meanings[phase] or "Progressing", message = message }

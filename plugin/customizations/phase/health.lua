-- What a phase means is the same in all kinds of this rule that have it; any other
-- is on its way to one of these. An LVMCluster calls it state.
local meanings = {
  Available = "Healthy",
  Complete = "Healthy",
  Enabled = "Healthy",
  Ready = "Healthy",
  Remediating = "Healthy", -- the check does its work; the node is what is ill
  Skipped = "Healthy", -- nothing to export
  Succeeded = "Healthy",
  Terminated = "Healthy", -- an export whose time is up
  Paused = "Suspended",
  RequiresApproval = "Suspended",
  Degraded = "Degraded",
  Disabled = "Degraded",
  Failed = "Degraded",
  FailedValidation = "Degraded",
  Unavailable = "Degraded",
}

local status = obj.status or {}
if (obj.spec or {}).paused == true then
  return { status = "Suspended", message = "Paused" } -- Velero does not even look at such a schedule
end
local phase = status.phase or status.state or status.syncStatus
if phase == nil or phase == "" then
  return { status = "Progressing", message = "Waiting for its controller" }
end

-- Conditions that are true are the reason for a phase, and those that are not yet true
-- that for a state.
local wanted = status.phase ~= nil and "True" or "False"
local message = phase
local reason = status.message or status.reason or status.lastSyncError or (status.validationErrors or {})[1]
for _, c in ipairs(status.conditions or {}) do
  reason = reason or (c.status == wanted and c.message) or nil
end
if reason ~= nil and reason ~= "" then
  message = phase .. ": " .. reason
end
return { status = meanings[phase] or "Progressing", message = message }

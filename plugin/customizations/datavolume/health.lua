-- The volume is bound, or waits for nothing but a VM that uses it: a halted VM
-- would keep its wave waiting for ever.
local done = { Succeeded = true, WaitForFirstConsumer = true, PendingPopulation = true }

local status = obj.status or {}
local phase = status.phase or "Waiting for CDI"

if done[phase] then
  return { status = "Healthy", message = phase }
end
if status.progress ~= nil and status.progress ~= "N/A" then
  phase = phase .. " " .. status.progress
end
if status.phase == "Paused" then
  return { status = "Suspended", message = phase }
end
if status.phase == "Failed" or status.phase == "Unknown" then
  return { status = "Degraded", message = phase }
end
for _, c in ipairs(status.conditions or {}) do
  if c.type == "Running" and c.status == "False" and (c.reason == "Error" or c.reason == "ImagePullFailed") then
    return { status = "Degraded", message = c.message or c.reason }
  end
end
return { status = "Progressing", message = phase }

-- Conditions of a restore carry their text as reason, not as message.
local status = obj.status or {}
local message = "Waiting for virt-controller"

for _, c in ipairs(status.conditions or {}) do
  if c.type == "Failure" and c.status == "True" then
    return { status = "Degraded", message = c.reason or "Failed" }
  end
  if c.type == "Progressing" and c.reason ~= nil then
    message = c.reason
  end
end
if status.complete then
  return { status = "Healthy", message = "Restored" }
end
return { status = "Progressing", message = message }

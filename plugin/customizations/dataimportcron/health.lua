local status = obj.status or {}
local conditions = {}
for _, c in ipairs(status.conditions or {}) do
  conditions[c.type] = c
end
local fresh = conditions.UpToDate or {}
local import = conditions.Progressing or {}

if fresh.status == "True" then
  return { status = "Healthy", message = fresh.message or "Up to date" }
end
-- While a newer image is imported, VMs are made from the one before.
if status.lastImportedPVC ~= nil then
  return { status = "Healthy", message = "The image before serves until this ends: " .. (import.message or fresh.message or "import") }
end
if import.reason == "ImportFailed" then
  return { status = "Degraded", message = import.message or import.reason }
end
if import.status == "True" then
  return { status = "Progressing", message = import.message or "Importing" }
end
return { status = "Progressing", message = fresh.message or import.message or "Waiting for CDI" }

local conditions = {}
for _, c in ipairs((obj.status or {}).conditions or {}) do
  conditions[c.type] = c
end

local installed = conditions.Installed
local progressing = conditions.Progressing
if progressing ~= nil and progressing.status == "False" then
  return { status = "Degraded", message = progressing.message } -- blocked, until its spec changes
end
if progressing ~= nil and progressing.reason == "Retrying" then
  return { status = "Progressing", message = progressing.message }
end
if installed ~= nil and installed.status == "True" then
  return { status = "Healthy", message = installed.message }
end
return { status = "Progressing", message = "Waiting for its controller" }

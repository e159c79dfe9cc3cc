-- An operator runs when OLM has installed its ClusterServiceVersion, whose phase is the
-- type of that reference's only condition, and when its definitions are served.
local function text(ref, condition)
  local reason = condition.message
  if reason == nil or reason == "" then
    reason = condition.reason
  end
  if reason == nil or reason == "" then
    return ref.name .. ": " .. condition.type
  end
  return ref.name .. ": " .. condition.type .. ": " .. reason
end

local installed, waiting, failed
for _, ref in ipairs(((obj.status or {}).components or {}).refs or {}) do
  for _, c in ipairs(ref.conditions or {}) do
    if ref.kind == "ClusterServiceVersion" then
      if c.type == "Succeeded" then
        installed = installed or ref.name
      elseif c.type == "Failed" then
        failed = failed or text(ref, c)
      else
        waiting = waiting or text(ref, c)
      end
    elseif ref.kind == "CustomResourceDefinition" and c.status == "False" then
      if c.type == "NamesAccepted" then
        failed = failed or text(ref, c)
      elseif c.type == "Established" then
        waiting = waiting or text(ref, c)
      end
    end
  end
end

if failed ~= nil then
  return { status = "Degraded", message = failed }
end
if waiting ~= nil or installed == nil then
  return { status = "Progressing", message = waiting or "Waiting for a ClusterServiceVersion" }
end
return { status = "Healthy", message = installed }

-- NMState reports Available, Progressing and Degraded. Operators before October 2025
-- write no status at all: then only the policies report the state of nmstate.
local conditions = {}
for _, c in ipairs((obj.status or {}).conditions or {}) do
  conditions[c.type] = c
end
if next(conditions) == nil then
  return { status = "Healthy", message = "Its operator reports no status" }
end

local meanings = { { "Degraded", "Degraded" }, { "Progressing", "Progressing" }, { "Available", "Healthy" } }
for _, m in ipairs(meanings) do
  local c = conditions[m[1]]
  if c ~= nil and c.status == "True" then
    return { status = m[2], message = c.message or c.reason or m[1] }
  end
end
return { status = "Progressing", message = "Not available yet" }

-- Kinds that report Available or Ready, and Progressing and Degraded, and no status at all in
-- earlier releases of their operators: NMState before October 2025, SriovNetwork before
-- OpenShift 4.23. Without a status, they are healthy, and only other objects report a state.
local conditions = {}
for _, c in ipairs((obj.status or {}).conditions or {}) do
  conditions[c.type] = c
end
if next(conditions) == nil then
  return { status = "Healthy", message = "Its operator reports no status" }
end

local meanings = {
  { "Degraded", "Degraded" },
  { "Progressing", "Progressing" },
  { "Available", "Healthy" },
  { "Ready", "Healthy" },
}
for _, m in ipairs(meanings) do
  local c = conditions[m[1]]
  if c ~= nil and c.status == "True" then
    return { status = m[2], message = c.message or c.reason or m[1] }
  end
end
local ready = conditions.Ready or {}
return { status = "Progressing", message = ready.message or ready.reason or "Not available yet" }

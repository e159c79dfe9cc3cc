local status = obj.status or {}
local conditions = {}
for _, c in ipairs(status.conditions or {}) do
  conditions[c.type] = c
end

local function holds(type)
  return conditions[type] ~= nil and conditions[type].status == "True"
end

for _, type in ipairs({ "Degraded", "NodeDegraded", "RenderDegraded" }) do
  if holds(type) then
    local c = conditions[type]
    local message = type
    if c.message ~= nil and c.message ~= "" then
      message = type .. ": " .. c.message
    end
    return { status = "Degraded", message = message }
  end
end

-- The operator takes some seconds to take up a MachineConfig; until then the pool is up
-- to date with what was before.
local rendered = {}
for _, source in ipairs((obj.spec.configuration or {}).source or {}) do
  rendered[source.name] = true
end
local annotations = obj.metadata.annotations or {}
local number = 1
local name = annotations["vmrender.io/machine-config-1"]
while name ~= nil do
  if not rendered[name] then
    return { status = "Progressing", message = "Waiting for MachineConfig " .. name .. " to be taken up" }
  end
  number = number + 1
  name = annotations["vmrender.io/machine-config-" .. number]
end

local all = status.machineCount or 0
local updated = status.updatedMachineCount or 0
local ready = status.readyMachineCount or 0
local seen = (status.observedGeneration or 0) >= (obj.metadata.generation or 0)
if seen and holds("Updated") and updated == all and ready == all then
  return { status = "Healthy", message = ready .. " of " .. all .. " machines ready" }
end
if obj.spec.paused then
  return { status = "Suspended", message = "Paused; an update waits" }
end
return { status = "Progressing", message = updated .. " of " .. all .. " machines updated, " .. ready .. " ready" }

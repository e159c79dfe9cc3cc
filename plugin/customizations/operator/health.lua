-- Operators that report Available, Progressing and Degraded. Degraded while
-- Progressing is an operator at work on the problem.
local status = obj.status or {}
local conditions = {}
for _, c in ipairs(status.conditions or {}) do
  conditions[c.type] = c
end

local function is(type, value)
  return conditions[type] ~= nil and conditions[type].status == value
end

local function text(type, default)
  local c = conditions[type] or {}
  if c.message ~= nil and c.message ~= "" then
    return c.message
  end
  return c.reason or default
end

if next(conditions) == nil then
  return { status = "Progressing", message = "Waiting for the operator" }
end
if is("Degraded", "True") and not is("Progressing", "True") then
  return { status = "Degraded", message = text("Degraded", "Degraded") }
end
if status.paused then
  return { status = "Suspended", message = "The operator is paused" }
end
if status.observedGeneration ~= nil and status.observedGeneration < (obj.metadata.generation or 0) then
  return { status = "Progressing", message = "The operator has not seen the last change yet" }
end
if is("ReconcileComplete", "False") or is("ReconcileComplete", "Unknown") then
  return { status = "Progressing", message = text("ReconcileComplete", "Reconciling") }
end

local target = status.targetKubeVirtVersion or status.targetVersion
local observed = status.observedKubeVirtVersion or status.observedVersion
if target ~= nil and target ~= "" and target ~= observed then
  return { status = "Progressing", message = "Version " .. target .. " is on its way" }
end
if is("Progressing", "True") then
  return { status = "Progressing", message = text("Progressing", "Progressing") }
end
if not is("Available", "True") then
  return { status = "Progressing", message = text("Available", "Not available yet") }
end
if is("TaintedConfiguration", "True") then
  return { status = "Healthy", message = text("TaintedConfiguration", "TaintedConfiguration") }
end
return { status = "Healthy", message = text("Available", "Available") }

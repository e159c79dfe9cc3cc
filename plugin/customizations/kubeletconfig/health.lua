-- The conditions are a history, the newest last. The type decides: a Failure has the
-- status False in some versions and True in others (machine-config-operator,
-- wrapErrorWithCondition).
local status = obj.status or {}
local conditions = status.conditions or {}
local newest = conditions[#conditions]

if newest == nil or (status.observedGeneration or 0) < (obj.metadata.generation or 0) then
  return { status = "Progressing", message = "Waiting for the machine config controller" }
end
if newest.type == "Failure" then
  return { status = "Degraded", message = newest.message or "Failure" }
end
-- Nodes take it up later: that is the health of their MachineConfigPool.
return { status = "Healthy", message = newest.message or newest.type }

local status = obj.status or {}
local wanted = obj.spec.replicas or 1
local present = status.replicas or 0
local ready = status.readyReplicas or 0

for _, c in ipairs(status.conditions or {}) do
  if c.type == "ReplicaFailure" and c.status == "True" then
    return { status = "Degraded", message = c.message or c.reason or c.type }
  end
end
if obj.spec.paused then
  return { status = "Suspended", message = "Paused" }
end
if obj.status == nil then
  return { status = "Progressing", message = "Waiting for virt-controller" }
end

local template = obj.spec.virtualMachineTemplate.spec
if present == wanted and (template.running == false or template.runStrategy == "Halted") then
  return { status = "Healthy", message = present .. " VMs, stopped as declared" }
end
if present == wanted and ready >= wanted then
  return { status = "Healthy", message = ready .. " of " .. wanted .. " VMs ready" }
end
return { status = "Progressing", message = ready .. " of " .. wanted .. " VMs ready, " .. present .. " present" }

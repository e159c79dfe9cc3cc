-- A disk that vmrender keeps, by its annotation, but that a VM owns: it was in the
-- VM's dataVolumeTemplates before, and KubeVirt never releases it. Kubernetes deletes
-- it with the VM, regardless of the options of Argo CD.
local meta = obj.metadata
if (meta.annotations or {})["argocd.argoproj.io/sync-options"] == "Prune=false,Delete=false" then
  for _, owner in ipairs(meta.ownerReferences or {}) do
    if owner.kind == "VirtualMachine" then
      return {
        status = "Degraded",
        message = "is to be kept, but is deleted with VirtualMachine " .. owner.name .. ", which still owns it; release it: "
          .. "kubectl patch datavolume " .. meta.name .. " --namespace " .. meta.namespace
          .. " --type merge --patch '{\"metadata\":{\"ownerReferences\":null}}'",
      }
    end
  end
end

-- The volume is bound, or only waits for a VM that uses it: a halted VM
-- would keep its wave waiting indefinitely.
local done = { Succeeded = true, WaitForFirstConsumer = true, PendingPopulation = true }

local status = obj.status or {}
local phase = status.phase or "Waiting for CDI"

if done[phase] then
  return { status = "Healthy", message = phase }
end
if status.progress ~= nil and status.progress ~= "N/A" then
  phase = phase .. " " .. status.progress
end
if status.phase == "Paused" then
  return { status = "Suspended", message = phase }
end
if status.phase == "Failed" or status.phase == "Unknown" then
  return { status = "Degraded", message = phase }
end
for _, c in ipairs(status.conditions or {}) do
  if c.type == "Running" and c.status == "False" and (c.reason == "Error" or c.reason == "ImagePullFailed") then
    return { status = "Degraded", message = c.message or c.reason }
  end
end
return { status = "Progressing", message = phase }

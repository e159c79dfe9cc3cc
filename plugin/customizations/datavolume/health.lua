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

-- The reasons of conditions with the status False that tell that the volume cannot be
-- filled. CDI tries again, but waiting alone does not help. `vmrender status` has the same.
local failures = {
  Running = {
    ChecksumError = true,
    ContainerCannotRun = true,
    CreateContainerConfigError = true,
    CreateContainerError = true,
    ErrExceededQuota = true,
    ErrImagePull = true,
    ErrStartingPod = true,
    Error = true,
    ImagePullBackOff = true,
    ImagePullFailed = true,
    InvalidImageName = true,
    OOMKilled = true,
    StartError = true,
  },
  Bound = { ErrClaimNotValid = true, ErrExceededQuota = true },
}

local status = obj.status or {}
local phase = status.phase or "Waiting for CDI"

if done[phase] then
  return { status = "Healthy", message = phase }
end
if status.progress ~= nil and status.progress ~= "N/A" then
  phase = phase .. " " .. status.progress
end
if status.restartCount ~= nil and status.restartCount > 0 then
  phase = phase .. ", restarts: " .. status.restartCount
end

local conditions = {}
for _, c in ipairs(status.conditions or {}) do
  conditions[c.type] = c
end

-- because adds the message of the condition Running to a text, if it is False.
local function because(text)
  local c = conditions.Running or {}
  if c.status == "False" and c.message ~= nil and c.message ~= "" then
    return text .. ": " .. c.message
  end
  return text
end

if status.phase == "Failed" or status.phase == "Unknown" then
  return { status = "Degraded", message = because(phase) }
end
for _, type in ipairs({ "Running", "Bound" }) do
  local c = conditions[type] or {}
  if c.status == "False" and failures[type][c.reason or ""] then
    local text = c.message
    if text == nil or text == "" then
      text = c.reason
    end
    return { status = "Degraded", message = phase .. ": " .. text }
  end
end
if status.phase == "Paused" then
  return { status = "Suspended", message = phase }
end
if status.phase == "UploadReady" then
  return { status = "Suspended", message = "UploadReady: waits for an upload" }
end
return { status = "Progressing", message = because(phase) }

local status = obj.status or {}

if status.phase == "Failed" then
  local err = status.error or {}
  return { status = "Degraded", message = err.message or "Failed" }
end
if status.phase == "Succeeded" and status.readyToUse then
  return { status = "Healthy", message = "Ready to use" }
end
if status.error ~= nil and status.error.message ~= nil then
  return { status = "Progressing", message = "KubeVirt tries again: " .. status.error.message }
end
return { status = "Progressing", message = status.phase or "Waiting for virt-controller" }

-- Claims that vmrender does not render are judged as Argo CD judges them itself.
local status = obj.status or {}
local ours = (obj.metadata.labels or {})["app.kubernetes.io/managed-by"] == "vmrender"

if status.phase == "Lost" then
  return { status = "Degraded", message = "Its volume is lost" }
end
if status.phase == "Bound" then
  return { status = "Healthy", message = "Bound" }
end
if status.phase == "Pending" and ours then
  return { status = "Healthy", message = "Pending; it is bound when a VM uses it" }
end
return { status = "Progressing", message = status.phase or "Pending" }

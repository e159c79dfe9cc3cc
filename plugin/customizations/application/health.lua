-- The health of an Application is that of what it holds. Of a wave of Applications
-- the next one must wait for the sync as well: until it, the health is that of the
-- revision before.
local status = obj.status or {}
local health = status.health or {}
local operation = status.operationState or {}
local sync = status.sync or {}

if ((obj.metadata or {}).annotations or {})["argocd.argoproj.io/skip-reconcile"] == "true" then
  return { status = "Healthy", message = "Argo CD does not look at it" }
end

if operation.phase == "Running" or operation.phase == "Terminating" then
  return { status = "Progressing", message = operation.message or "Syncing" }
end
if sync.status ~= "Synced" and (operation.phase == "Failed" or operation.phase == "Error") then
  return { status = "Degraded", message = operation.message or "The last sync failed" }
end
local automated = ((obj.spec or {}).syncPolicy or {}).automated
local manual = automated == nil or automated.enabled == false
if manual and sync.status == "OutOfSync" and health.status ~= "Degraded" then
  return { status = "Healthy", message = "Waiting for a manual sync" }
end
if health.status == nil or health.status == "" then
  return { status = "Progressing", message = "Waiting for Argo CD" }
end
-- What is missing does not count where its kind has no health check (Argo CD 3.2,
-- controller/health.go, setApplicationHealth).
if health.status == "Healthy" and operation.phase == nil and sync.status ~= "Synced" then
  return { status = "Progressing", message = "Waiting for the first sync" }
end
return { status = health.status, message = health.message or sync.status }

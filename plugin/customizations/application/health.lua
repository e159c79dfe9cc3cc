-- The health of an Application is that of what it holds. Of a wave of Applications
-- the next one must wait for the sync as well: until it, the health is that of the
-- revision before.
-- A layer with the annotation on-failure holds no wave back once it has failed: Argo CD
-- retries it, and its own Application shows why.
local status = obj.status or {}
local health = status.health or {}
local operation = status.operationState or {}
local sync = status.sync or {}

local annotations = (obj.metadata or {}).annotations or {}

if annotations["argocd.argoproj.io/skip-reconcile"] == "true" then
  return { status = "Healthy", message = "Argo CD does not look at it" }
end

local retried = operation.phase == "Running" and (operation.retryCount or 0) > 0
local failed = operation.phase == "Failed" or operation.phase == "Error" or retried
if annotations["vmrender.io/on-failure"] == "continue" then
  if failed and sync.status ~= "Synced" then
    return { status = "Healthy", message = "Failed, and later layers go on: " .. (operation.message or "the last sync") }
  end
  if health.status == "Degraded" and operation.phase ~= "Running" then
    return { status = "Healthy", message = "Failed, and later layers go on: " .. (health.message or "Degraded") }
  end
end

-- A sync that began before the layer was left to users, or before it lost its approval, is retried for as long
-- as it fails.
local automated = ((obj.spec or {}).syncPolicy or {}).automated
local manual = automated == nil or automated.enabled == false
local began = ((operation.operation or {}).initiatedBy or {}).automated == true
if manual and began and retried and sync.status == "OutOfSync" and health.status ~= "Degraded" then
  return { status = "Healthy", message = "Waiting for a manual sync: " .. (operation.message or "the last one failed") }
end
if operation.phase == "Running" or operation.phase == "Terminating" then
  return { status = "Progressing", message = operation.message or "Syncing" }
end
if sync.status ~= "Synced" and (operation.phase == "Failed" or operation.phase == "Error") then
  return { status = "Degraded", message = operation.message or "The last sync failed" }
end
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

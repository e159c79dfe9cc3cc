local status = obj.status or {}
if status.errorMessage ~= nil then
  return { status = "Degraded", message = status.errorMessage }
end
local wanted = (obj.spec or {}).replicas
local ready = status.readyReplicas or 0
local seen = (status.observedGeneration or 0) >= (obj.metadata.generation or 0)
if wanted == nil or not seen then
  return { status = "Progressing", message = "Waiting for its controller" }
end
local message = ready .. " of " .. wanted .. " nodes ready"
if ready >= wanted and (status.replicas or 0) == wanted then
  return { status = "Healthy", message = message }
end
return { status = "Progressing", message = message }

-- As virtctl does: a halted VM gets a run strategy that starts it, the others a
-- request that leaves the run strategy alone (kubevirt, pkg/virt-api/rest/lifecycle.go).
local kept = "vmrender.io/run-strategy" -- what action stop has replaced

if obj.spec.running == false then
  obj.spec.running = true
elseif obj.spec.runStrategy == "Halted" then
  local annotations = obj.metadata.annotations or {}
  local strategy = annotations[kept]
  -- Manual would leave it stopped.
  if strategy == nil or strategy == "Manual" then
    strategy = "Always"
  end
  annotations[kept] = nil
  obj.spec.runStrategy = strategy
else
  obj.status.stateChangeRequests = { { action = "Start" } }
end
return obj

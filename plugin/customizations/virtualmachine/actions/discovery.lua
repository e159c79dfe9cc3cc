local status = obj.status or {}
local strategy = obj.spec.runStrategy

local holds = {}
for _, c in ipairs(status.conditions or {}) do
  holds[c.type] = c.status == "True"
end

local snapshotable = false
for _, volume in ipairs(status.volumeSnapshotStatuses or {}) do
  snapshotable = snapshotable or volume.enabled
end

local asked = next(status.stateChangeRequests or {}) ~= nil
local stopped = status.printableStatus == "Stopped" and not status.created and not asked
local startable = obj.spec.running == false or strategy == "Halted" or strategy == "Manual" or strategy == "RerunOnFailure"

return {
  start = { disabled = not (stopped and startable) or holds.ManualRecoveryRequired == true },
  stop = { disabled = obj.spec.running == false or strategy == "Halted" },
  migrate = { disabled = not (holds.Ready and holds.LiveMigratable) },
  snapshot = { disabled = not snapshotable or status.snapshotInProgress ~= nil },
}

-- By run strategy only: a request to stop needs the uid of the VirtualMachineInstance,
-- which the VirtualMachine does not hold.
if obj.spec.running ~= nil then
  obj.spec.running = false
  return obj
end
obj.metadata.annotations = obj.metadata.annotations or {}
obj.metadata.annotations["vmrender.io/run-strategy"] = obj.spec.runStrategy
obj.spec.runStrategy = "Halted"
return obj

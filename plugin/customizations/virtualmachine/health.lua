-- Errors among the printable statuses, with the conditions that tell why, the first one
-- first; Ready comes after them. KubeVirt continues to try; the cause is elsewhere.
-- `vmrender status` has the same.
local errors = {
  CrashLoopBackOff = { "Failure" },
  DataVolumeError = { "Failure", "Synchronized", "DataVolumesReady" },
  ErrImagePull = { "Synchronized" },
  ErrorPvcNotFound = { "Synchronized" },
  ErrorUnschedulable = { "PodScheduled" },
  ImagePullBackOff = { "Synchronized" },
  Unknown = {},
}

local status = obj.status or {}
local printable = status.printableStatus or "Waiting for virt-controller"

local conditions = {}
for _, c in ipairs(status.conditions or {}) do
  conditions[c.type] = c
end

local function holds(type)
  return conditions[type] ~= nil and conditions[type].status == "True"
end

-- because adds the message of a condition, or else its reason, to a text.
local function because(text, type)
  local c = conditions[type] or {}
  for _, why in ipairs({ c.message or "", c.reason or "" }) do
    if why ~= "" then
      return text .. ": " .. why
    end
  end
  return text
end

-- broken returns the status of a VM that cannot run, with its reason: the condition Failure
-- is bad if it is True, and all others if they are False.
local function broken()
  for _, type in ipairs(errors[printable]) do
    local bad = "False"
    if type == "Failure" then
      bad = "True"
    end
    if (conditions[type] or {}).status == bad then
      return because(printable, type)
    end
  end
  return because(printable, "Ready")
end

-- changes are the fields of KubeVirt's messages about a restart, in the words of the values files
-- and of `vmrender status`, which also knows those that other messages do not name. Argo CD's Lua
-- has no library for strings.
local changes = {
  ["ARM doesn't support CPU hotplug"] = "cpu",
  ["CPU sockets updated in template spec to a value higher than what's available"] = "cpu",
  ["Reduction of CPU socket count requires a restart"] = "cpu",
  ["memory updated in template spec to a value higher than what's available"] = "memory",
  ["memory updated in template spec to a value lower than what the VM started with"] = "memory",
  ["memory updated in template spec. Memory-hotplug failed and is not available for this VM configuration"] = "memory",
  ["memory updated in template spec. Memory-hotplug is not available for this VM configuration"] = "memory",
  ["memory updated in template spec. Memory-hotplug is only available for migratable VMs"] = "memory",
}

-- restart tells what a VM waits for a restart for.
local function restart()
  local message = conditions.RestartRequired.message
  if message ~= nil and changes[message] ~= nil then
    return "waits for a restart: " .. changes[message] .. " (" .. message .. ")"
  end
  return because("waits for a restart", "RestartRequired")
end

-- idle tells why a VM that does not run is as it was declared, or nil where
-- virt-controller has yet to start it.
local function idle()
  local strategy = obj.spec.runStrategy
  local power = ((obj.metadata or {}).annotations or {})["vmrender.io/power"]
  if power ~= nil and (strategy == "Manual" or strategy == "RerunOnFailure" and status.runStrategy == strategy) then
    return "Stopped; power: " .. power
  end
  if obj.spec.running == false or strategy == "Halted" then
    return "Stopped, as declared"
  end
  if strategy == "Manual" then
    return "Stopped; run strategy Manual leaves starting to people"
  end
  -- These run once; the status names them as soon as virt-controller has seen them.
  if (strategy == "RerunOnFailure" or strategy == "Once") and status.runStrategy == strategy then
    return "Stopped by its guest, as run strategy " .. strategy .. " allows"
  end
  return nil
end

if holds("ManualRecoveryRequired") then
  return { status = "Degraded", message = because("Manual recovery required", "ManualRecoveryRequired") }
end
if errors[printable] then
  return { status = "Degraded", message = broken() }
end
if holds("Paused") then
  return { status = "Suspended", message = because("Paused", "Paused") }
end
if holds("Ready") then
  if holds("Failure") then
    return { status = "Healthy", message = because(printable .. "; the last change failed", "Failure") }
  end
  if holds("RestartRequired") then
    return { status = "Healthy", message = printable .. "; " .. restart() }
  end
  return { status = "Healthy", message = printable }
end
if holds("Failure") then
  return { status = "Degraded", message = because(printable, "Failure") }
end
if printable == "Stopped" and not status.created and idle() ~= nil then
  return { status = "Healthy", message = idle() }
end
return { status = "Progressing", message = printable }

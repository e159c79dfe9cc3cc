local failures = { CatalogSourcesUnhealthy = true, InstallPlanFailed = true, ResolutionFailed = true }

local status = obj.status or {}
for _, c in ipairs(status.conditions or {}) do
  local lost = c.type == "InstallPlanMissing" and c.reason ~= "ReferencedInstallPlanNotFound"
  if c.status == "True" and (failures[c.type] or lost) then
    return { status = "Degraded", message = c.type .. ": " .. (c.message or c.reason or "no reason given") }
  end
end

local installed = status.installedCSV
if status.state == "UpgradeFailed" then
  return { status = "Degraded", message = "The upgrade to " .. (status.currentCSV or "the next version") .. " failed" }
end
if status.state == "AtLatestKnown" then
  return { status = "Healthy", message = installed or "At the latest known version" }
end
if status.state == "UpgradePending" and obj.spec.installPlanApproval == "Manual" then
  if installed ~= nil and installed ~= "" then
    return { status = "Healthy", message = installed .. "; " .. (status.currentCSV or "an upgrade") .. " waits for approval" }
  end
  return { status = "Progressing", message = "The first install waits for approval of its InstallPlan" }
end
return { status = "Progressing", message = status.state or "Waiting for the operator lifecycle manager" }

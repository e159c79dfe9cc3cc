package layers

// What [Render] chooses from.
var (
	RenderApps     = appOfApps
	RenderLayer    = renderLayer
	RenderPolicies = renderPolicies
)

import type { Gating } from "../../format/manifest.ts";
import { NO_GATING } from "../../format/manifest-draft.ts";

/** Whether anything in a gating can keep a skill from being offered. */
export function hasRequirements(gating: Gating): boolean {
  if (gating === NO_GATING) return false;
  return (
    gating.bins.length > 0 ||
    gating.env.length > 0 ||
    gating.os.length > 0 ||
    gating.anyBins.length > 0 ||
    gating.commands.length > 0 ||
    gating.config.length > 0 ||
    gating.credentialFiles.length > 0 ||
    gating.mcp.length > 0 ||
    gating.skills.length > 0 ||
    gating.requiresTools.length > 0 ||
    gating.requiresToolsets.length > 0 ||
    gating.fallbackForTools.length > 0 ||
    gating.fallbackForToolsets.length > 0
  );
}

import { pruned } from "./pruned.js";
import { type EndpointType, type PreloadLibraries, UNKNOWN, type Wish } from "./settings.js";

/** The values of a program that speak of the compute itself. */
export interface Asked {
  projectId?: string;
  branchId?: string;
  type?: EndpointType;
  size?: number;
  autoscalingLimitMinCu?: number;
  autoscalingLimitMaxCu?: number;
  suspendTimeoutSeconds?: number;
  name?: string;
  disabled?: boolean;
  poolerEnabled?: boolean;
  settings?: { pgSettings?: Record<string, string>; preloadLibraries?: PreloadLibraries };
  restartTriggers?: readonly unknown[];
}

/** What a program asks of the service. Values not known yet are marked so. */
export function wishOf(asked: Asked, unknown: ReadonlySet<string> = new Set()): Wish {
  const wish: Wish = {
    projectId: asked.projectId,
    branchId: asked.branchId,
    type: asked.type ?? "read_write",
    autoscalingLimitMinCu: asked.autoscalingLimitMinCu ?? asked.size,
    autoscalingLimitMaxCu: asked.autoscalingLimitMaxCu ?? asked.size,
    suspendTimeoutSeconds: asked.suspendTimeoutSeconds,
    name: asked.name,
    disabled: asked.disabled,
    poolerEnabled: asked.poolerEnabled,
    pgSettings: asked.settings?.pgSettings,
    preloadLibraries: asked.settings?.preloadLibraries,
    restartTriggers: asked.restartTriggers,
  };
  for (const path of unknown) {
    if (path === "size") {
      wish.autoscalingLimitMinCu = UNKNOWN;
      wish.autoscalingLimitMaxCu = UNKNOWN;
    } else if (path === "settings") {
      wish.pgSettings = UNKNOWN;
      wish.preloadLibraries = UNKNOWN;
    } else {
      const name = path.split(".")[path.startsWith("settings.") ? 1 : 0]!;
      if (name in wish) wish[name as "name"] = UNKNOWN;
    }
  }
  return pruned(wish);
}

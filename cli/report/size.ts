// The memory, disk and connections of a compute before and after, from the documented tables.

import { capacityOf } from "../../provider/rules/capacity.js";
import type { DesiredSettings } from "../../provider/rules/settings.js";
import type { Size } from "./types.js";

type Limits = Pick<DesiredSettings, "autoscalingLimitMinCu" | "autoscalingLimitMaxCu">;

/** The size between two limits in CU. Undefined if one of them is not known, or they are no range. */
export function sizeOf({ autoscalingLimitMinCu: minCu, autoscalingLimitMaxCu: maxCu }: Limits): Size | undefined {
  if (typeof minCu !== "number" || typeof maxCu !== "number" || minCu <= 0 || maxCu < minCu) return undefined;
  const { memoryGb, diskGib, maxConnections } = capacityOf(minCu, maxCu);
  return { minCu, maxCu, memoryGb, diskGib, ...(maxConnections === undefined ? {} : { maxConnections }) };
}

/** A limit that the program does not manage stays as it is. */
export function sizeAfter(old: Limits, desired: Limits): Size | undefined {
  return sizeOf({
    autoscalingLimitMinCu: desired.autoscalingLimitMinCu ?? old.autoscalingLimitMinCu,
    autoscalingLimitMaxCu: desired.autoscalingLimitMaxCu ?? old.autoscalingLimitMaxCu,
  });
}

export function diskNote(before: Size | undefined, after: Size | undefined): string | undefined {
  if (!before || !after || after.diskGib >= before.diskGib) return undefined;
  return `the local disk shrinks from ${before.diskGib} to ${after.diskGib} GiB: queries that need more temporary space fail with "No space left on device" (53100)`;
}

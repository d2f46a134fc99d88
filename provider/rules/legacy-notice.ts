// The computed input `restart` of version 0.1.0, which wrote no data beside it: "no", "maybe: …" or "yes: …". Its sentences
// are copied here as they were. The rules of today may say anything else.

import type { ImpactNotice } from "./notice.js";

const NEW_HOST =
  "a compute with another id and host takes its place: clients need the new host; the old one is deleted and its connections drop, unless it is released";
const STOPS = "the compute stops, open connections drop, and nothing can connect while it is disabled";

/** "size 1 → 2, restartTriggers changed; …" and "adopts ep-… and sets size 2, …". */
const CHANGED =
  /(?:^|, |and sets )(projectId|type|branchId|size|autoscalingLimitM(?:in|ax)Cu|suspendTimeoutSeconds|name|disabled|poolerEnabled|restartTriggers|settings\.(?:pgSettings(?:\.[^ ]+)?|preloadLibraries)) /g;
/** Longer than any sentence with fifty changes. */
const LONGEST = 10_000;

/** Undefined for what is no sentence of that version. */
export function readSentence(restart: unknown): ImpactNotice | undefined {
  if (restart === "no") return { impact: "none", properties: [] };
  const [, word, text] = (typeof restart === "string" && /^(maybe|yes): ([\s\S]*)$/.exec(restart)) || [];
  if (!word || text === undefined) return undefined;
  // The first word says that connections drop. Only the rest says how.
  const certain = text.endsWith(NEW_HOST) ? "new-host" : text.endsWith(STOPS) ? "stop" : "restart";
  const properties = [...text.slice(0, LONGEST).matchAll(CHANGED)].map(([, property]) => property!);
  return { impact: word === "maybe" ? "may-restart" : certain, properties };
}

import type { EngineEvent, Stack } from "@pulumi/pulumi/automation";

/** What a change does to one compute's connections. */
export interface Notice {
  resource: string;
  /** `maybe: …` or `yes: …`, as in the resource's input `restart`. */
  restart: string;
}

/** Previews the stack, and reads from the engine's events which computes the change would restart, stop or replace. */
export async function noticesOf(stack: Stack): Promise<Notice[]> {
  const notices = new Map<string, Notice>();
  const onEvent = ({ resourcePreEvent }: EngineEvent) => {
    const { urn, new: wanted } = resourcePreEvent?.metadata ?? {};
    const restart: unknown = wanted?.inputs?.["restart"];
    if (urn === undefined || typeof restart !== "string" || restart === "no") return;
    // A replacement has several events; one notice is enough.
    notices.set(urn, { resource: urn.split("::").at(-1) ?? urn, restart });
  };
  await stack.preview({ onEvent });
  return [...notices.values()];
}

// What the hook of a preview sees of a creation: one list of the project. It comes from the emulator's rows, so that no fault and no
// virtual time is spent on it.

import type { Emulator } from "../../../emulator/index.js";
import { ServiceError } from "../../../provider/errors.js";
import { creationOutlook, type Outlook, type ProjectNow } from "../../../provider/lookup/live.js";
import { readNotice } from "../../../provider/rules/notice.js";
import type { OnRestart } from "../../../provider/rules/policies.js";
import type { WireEndpoint } from "../../../provider/wire/endpoint.js";
import type { Plan } from "./engine.js";
import type { Props } from "./resource-options.js";

/** @param ours ids of the computes that the program's resources have: a compute of them in the way is another rule's matter */
export async function lookAhead(
  emulator: Emulator,
  { op, inputs }: Plan,
  onRestart: OnRestart | undefined,
  ours: ReadonlySet<string>,
): Promise<Outlook | undefined> {
  if (op !== "create" && op !== "replace") return undefined;
  const replaces = readNotice(inputs)?.replaces;
  const outlook = await creationOutlook(projectIn(emulator, inputs), { inputs, onRestart, replaces });
  const isOurs = outlook?.kind === "fails" && ours.has(outlook.foreseen.id ?? "");
  return isOurs ? undefined : outlook;
}

function projectIn({ world, clock }: Emulator, { projectId }: Props): ProjectNow {
  const project = String(projectId);
  const of = <T extends { project_id: string }>(rows: Record<string, T>) =>
    structuredClone(Object.values(rows).filter((one) => one.project_id === project));
  const getEndpoint = (_project: string, id: string) => {
    const missing = { method: "GET", path: `/${id}`, status: 404, code: "", message: "not found" };
    return Promise.reject(new ServiceError(missing));
  };
  return {
    context: { client: { getEndpoint }, clock: { now: () => 0 } } as unknown as ProjectNow["context"],
    project,
    endpoints: world.projects[project] ? (of(world.endpoints) as unknown as WireEndpoint[]) : undefined,
    nowMs: clock.now(),
    branches: Promise.resolve(new Set(of(world.branches).map(({ id }) => id))),
  };
}

import { newBranch } from "./branch.js";
import { newEndpoint } from "./endpoint.js";
import { markActive } from "./operation-effects.js";
import { newProject } from "./project.js";
import type { BranchRow, ProjectRow } from "./rows.js";
import type { Simulation } from "./simulation.js";
import { timestamp } from "./time.js";
import type { World } from "./world.js";

/** The content of a new emulator. The ids are fixed, so that commands in the documentation can be copied. */
export const SEED = {
  regionId: "aws-us-east-2",
  projectId: "quiet-meadow-40718263",
  branches: {
    /** The root branch, with the primary. */
    main: "br-copper-lagoon-a5n7v3hd",
    /** No compute. */
    dev: "br-silent-harbor-a5k2m8qz",
    /** No compute. */
    preview: "br-bright-orchard-a5t4j6wc",
  },
  /** Active, fixed at 0.25. */
  primaryId: "ep-amber-field-a5x7w3rt",
  /** A project whose root branch lost its compute, so that a primary can be created there. */
  second: { projectId: "calm-forest-51829374", branchId: "br-plain-river-a5d9g2kx" },
} as const;

export type Seed = typeof SEED;

const SEEDED_AGE_MS = 60_000;

/** A world without pending operations, as if it was created a minute ago. The primary was used just now. */
export function seededWorld(sim: Omit<Simulation, "world">): World {
  const world: World = { projects: {}, branches: {}, endpoints: {}, operations: [], last_operation_us: 0 };
  const then: Simulation = { ...sim, world, now: sim.now - SEEDED_AGE_MS };
  const at = timestamp(then.now);
  const addBranch = (project: ProjectRow, input: Parameters<typeof newBranch>[2]): BranchRow => {
    const { pending_state: _, ...made } = newBranch(then, project, input);
    world.branches[made.id] = { ...made, current_state: "ready" };
    return made;
  };
  const addProject = (id: string, name: string) => {
    world.projects[id] = newProject(then, { name, region_id: SEED.regionId }, id);
    return world.projects[id];
  };

  const project = addProject(SEED.projectId, "quiet-meadow");
  const main = addBranch(project, { id: SEED.branches.main, name: "main", default: true });
  addBranch(project, { id: SEED.branches.dev, name: "dev", parent: main });
  addBranch(project, { id: SEED.branches.preview, name: "preview", parent: main });
  const primary = newEndpoint(then, project, { branch_id: main.id, type: "read_write" }, SEED.primaryId);
  delete primary.pending_state;
  markActive(primary, at);
  primary.last_active = timestamp(sim.now);
  world.endpoints[primary.id] = primary;

  const second = addProject(SEED.second.projectId, "calm-forest");
  addBranch(second, { id: SEED.second.branchId, name: "main", default: true });
  return world;
}

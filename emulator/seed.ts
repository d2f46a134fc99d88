import { newBranch, newProject } from "./branch.js";
import { wake } from "./effects.js";
import { newEndpoint } from "./endpoint.js";
import type { Site } from "./rules.js";
import { instant } from "./time.js";
import type { BranchRow, ProjectRow, World } from "./world.js";

/** What a fresh emulator holds. The ids are fixed, so that what documentation says can be copied. */
export const SEED = {
  regionId: "aws-us-east-2",
  projectId: "quiet-meadow-40718263",
  branches: {
    /** The root branch; the primary is on it. */
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

/** Everything ready and at rest, as if made a minute ago; the primary was used just now. */
export function seededWorld(site: Omit<Site, "world">): World {
  const world: World = { projects: {}, branches: {}, endpoints: {}, operations: [], last_operation_us: 0 };
  const then: Site = { ...site, world, now: site.now - SEEDED_AGE_MS };
  const at = instant(then.now);
  const addBranch = (project: ProjectRow, wish: Parameters<typeof newBranch>[2]): BranchRow => {
    const { pending_state: _, ...made } = newBranch(then, project, wish);
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
  wake(primary, at);
  primary.last_active = instant(site.now);
  world.endpoints[primary.id] = primary;

  const second = addProject(SEED.second.projectId, "calm-forest");
  addBranch(second, { id: SEED.second.branchId, name: "main", default: true });
  return world;
}

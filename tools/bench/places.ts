/** Where the computes of a benchmark go: projects with a branch for each compute, in a world for the emulator. */
import type { World } from "../../emulator/index";

export interface Place {
  projectId: string;
  branchId: string;
}

/** `count` places, spread evenly: neighbours in the program are in different projects. */
export function placesIn(projects: number, count: number): Place[] {
  return Array.from({ length: count }, (_, index) => ({
    projectId: `bench-project-${index % projects}`,
    branchId: `br-bench-${index}`,
  }));
}

/** What each compute is set to. */
export const settingsOf = (place: Place) => ({
  ...place,
  autoscalingLimitMinCu: 1,
  autoscalingLimitMaxCu: 2,
  suspendTimeoutSeconds: 600,
});

/** The world of a new emulator with these places, copied from its own project and branch. They have no computes yet. */
export function worldWith(fresh: World, places: readonly Place[]): World {
  const [project] = Object.values(fresh.projects);
  const [branch] = Object.values(fresh.branches).filter((one) => one.project_id === project?.id);
  if (!project || !branch) throw new Error("a fresh emulator has no project with a branch");
  const world: World = { ...fresh, projects: {}, branches: {}, endpoints: {}, operations: [] };
  for (const { projectId, branchId } of places) {
    world.projects[projectId] ??= { ...project, id: projectId, name: projectId };
    const isRoot = !Object.values(world.branches).some((one) => one.project_id === projectId);
    world.branches[branchId] = {
      ...branch,
      id: branchId,
      name: branchId,
      project_id: projectId,
      default: isRoot,
      roles: [],
      databases: [],
    };
  }
  return world;
}

/** What the suite makes before its first test and takes away after its last: a branch with a primary, and what it is in. */
import { type Body, Service } from "./service";
import { announcement, chooseTarget, ownName, type Target } from "./target";

export interface Place {
  target: Target;
  service: Service;
  /** What the suite makes is called so, or begins so. */
  name: string;
  projectId: string;
  branchId: string;
  /** The primary of the branch, at first active and fixed at 0.25. */
  primaryId: string;
  /** `/projects/ID/endpoints` */
  endpoints: string;
  /** Path of the primary. */
  primary: string;
}

const say = (text: string) => process.stderr.write(text);

/** Filled as things are made, so that what was made is taken away also where the next thing could not be. */
export class Setup {
  private readonly undo: [what: string, work: () => Promise<unknown>][] = [];
  private readonly seen: string[] = [];
  private real = false;

  async make(env: NodeJS.ProcessEnv): Promise<Place> {
    const name = ownName();
    const target = await chooseTarget(env);
    this.undo.push(["the emulator", () => target.close()]);
    this.real = target.real;
    if (target.real) say(announcement(target, name));
    const service = new Service(target);

    const projectId = target.projectId ?? (await this.makeProject(service, target, name));
    const branches = `/projects/${projectId}/branches`;
    // A project of ours goes as a whole.
    if (target.projectId) this.deleteLater(service, "branches", branches, name);
    const made = await service.ask("POST", branches, { branch: { name }, endpoints: [] });
    if (made.status !== 201) throw new Error(`no branch could be made: ${JSON.stringify(made)}`);
    const branchId = made.body.branch.id;
    await service.settle(made.body.operations);
    await service.until(
      async () => (await service.ask("GET", `${branches}/${branchId}`)).body.branch.current_state === "ready",
    );

    const endpoints = `/projects/${projectId}/endpoints`;
    const wish = { branch_id: branchId, type: "read_write", ...fixed(0.25) };
    const primaryId = (await service.done("POST", endpoints, { endpoint: wish })).body.endpoint.id;
    return { target, service, name, projectId, branchId, primaryId, endpoints, primary: `${endpoints}/${primaryId}` };
  }

  private async makeProject(service: Service, target: Target, name: string): Promise<string> {
    const project = { name, ...(target.orgId ? { org_id: target.orgId } : {}) };
    this.deleteLater(service, "projects", "/projects", name);
    const made = await service.ask("POST", "/projects", { project });
    if (made.status !== 201) throw new Error(`no project could be made: ${JSON.stringify(made)}`);
    await service.settle(made.body.operations);
    return made.body.project.id;
  }

  /** Asked for before it is made, and found by its name: also where the answer to making it was lost. */
  private deleteLater(service: Service, what: "projects" | "branches", path: string, name: string): void {
    this.undo.push([
      `${what} named ${name}`,
      async () => {
        const rows: Body[] = (await service.ask("GET", `${path}?search=${name}`)).body[what];
        for (const one of rows.filter((row) => row.name === name || row.name.startsWith(`${name}-`)))
          await service.done("DELETE", `${path}/${one.id}`);
      },
    ]);
  }

  /** An answer that is not documented: told at the end, for whoever sets up an emulator like this service. */
  observe(what: string, { status, body }: { status: number; body: Body }): void {
    const actions = body?.operations?.map((one: Body) => one.action).join(", ");
    const words = body?.message ?? (actions === undefined ? "" : `[${actions}]`);
    this.seen.push(`  ${what}: ${status} ${words}`);
  }

  async takeAway(): Promise<void> {
    const left: string[] = [];
    for (const [what, work] of this.undo.splice(0).reverse()) {
      try {
        await work();
      } catch (error) {
        left.push(`${what}: ${(error as Error).message}`);
      }
    }
    if (this.real) say(`\nNot documented, and seen here:\n${this.seen.join("\n")}\n`);
    if (left.length > 0) throw new Error(`STILL THERE, delete it yourself: ${left.join("; ")}`);
  }
}

/** Both limits of a fixed size. */
export const fixed = (cu: number) => ({ autoscaling_limit_min_cu: cu, autoscaling_limit_max_cu: cu });

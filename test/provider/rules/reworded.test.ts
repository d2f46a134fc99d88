/** Every text of the rules may be reworded: what guards, report, policies and approvals decide stays the same. */
import type { ResourceValidationArgs } from "@pulumi/policy";
import { afterEach, expect, test, vi } from "vitest";

const TEXTS = "../../../provider/rules/texts.js";
type Module = Record<string, unknown>;
type Props = Record<string, unknown>;

/** What reads the input `restart` reads "no" and nothing else of it. */
const reworded = (texts: Module): Module => {
  const change = (value: unknown): unknown => {
    if (typeof value === "string") return value === "no" ? value : "lorem ipsum";
    if (typeof value === "function") return () => "dolor, sit amet; consectetur";
    return Object.fromEntries(Object.entries(value as Module).map(([key, inner]) => [key, change(inner)]));
  };
  return Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, change(value)]));
};

afterEach(() => {
  vi.doUnmock(TEXTS);
  vi.resetModules();
});

const OLD = { projectId: "p-1", branchId: "br-1", autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 1 };
const CHANGES: Record<string, Props> = {
  nothing: {},
  harmless: { name: "x" },
  size: { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2 },
  branch: { branchId: "br-2" },
  stop: { disabled: true },
  type: { type: "read_only" },
  Postgres: { settings: { pgSettings: { work_mem: "64MB" } } },
  triggers: { restartTriggers: [1] },
  secret: { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2, __secret: ["autoscalingLimitMinCu"] },
};

/** All that is decided of these changes. */
async function decisions() {
  const { checked, config, urnOf } = await import("../endpoint/checking.js");
  const { computePolicies } = await import("../../../policy/index.js");
  const { inJson, preview, step } = await import("../../cli/report/support.js");
  const { readNotice } = await import("../../../provider/rules/notice.js");
  const { desiredSettings } = await import("../../../provider/rules/settings.js");
  const { announcedChange } = await import("../../../provider/rules/warnings.js");
  const all = await Promise.all(
    Object.entries(CHANGES).map(async ([name, change]) => {
      const settings = config({ "compute:onRestart": "refuse" });
      const news = { ...OLD, ...change, __urn: urnOf("primary") };
      const { failures } = checked(news, OLD, settings);
      const { inputs } = checked(news, OLD);
      const digest = /\b[0-9a-f]{32,}\b/.exec(failures.at(-1)?.reason ?? "")?.[0];
      const masked = (props: Props) =>
        change["__secret"] ? { ...props, autoscalingLimitMinCu: "[secret]", autoscalingLimitMaxCu: "[secret]" } : props;
      const message = `error: ${failures.map(({ reason }) => reason).join("\n")}\n`;
      const diagnostics = [{ severity: "error", urn: urnOf("primary"), message }];
      const refused = (await inJson(preview([], { diagnostics }))).stacks[0];
      const op = name === "type" ? "replace" : "update";
      const document = preview([step({ op, old: masked({ ...OLD, restart: "no" }), next: masked(inputs) })]);
      const { exitCode, stacks } = await inJson(document);
      const { impact, changes, others, notes, approval, said } = stacks[0].computes[0];
      const policies = computePolicies().flatMap((policy) => {
        const told: string[] = [];
        const { validateResource } = policy as { validateResource: (...args: unknown[]) => void };
        const resource = {
          type: "pulumi-nodejs:dynamic/compute:Endpoint",
          urn: urnOf("primary"),
          name: "primary",
          props: inputs,
          getConfig: () => ({}),
        };
        validateResource(resource as unknown as ResourceValidationArgs, (message: string) => told.push(message));
        return told.map(() => policy.name);
      });
      return {
        name,
        failures: failures.map(({ property }) => property),
        digest,
        refused: [/refused/.test(refused.incomplete.join()), refused.approveCommand],
        notice: inputs["__notice"],
        // Of a state that is as it was asked to be, and of one in which the change has been made by hand.
        warned: [OLD, change].map((outputs) => {
          const old = { inputs: OLD, outputs: { ...OLD, ...outputs } };
          const desired = desiredSettings(inputs);
          const wish = {
            news: inputs,
            desired,
            secrets: new Set<string>(),
            notice: readNotice(inputs),
            askAgain: false,
          };
          const { assessment } = announcedChange(old, wish);
          return [assessment.impact, assessment.reasons.map(({ property }) => property)];
        }),
        policies,
        report: {
          exitCode,
          impact,
          changes: changes.map(({ property, impact }: Props) => [property, impact]),
          others,
          notes: notes.length,
          approval: { approved: approval?.approved, digest: approval?.digest, isWhy: approval?.why !== undefined },
          isSaid: said !== undefined,
        },
      };
    }),
  );
  return { all, guards: await guards() };
}

/** What create and update let through under `refuse`, where the compute is not what the state says. */
async function guards() {
  const { adopted, byHand, labWith, primary, SEED } = await import("../../lifecycle/support.js");
  const { Lab } = await import("../../support/lab.js");
  const ended = async (work: Promise<{ error?: Error; sent: { line: string }[] }>) => {
    const { error, sent } = await work;
    return [error !== undefined, sent.map(({ line }) => line.split(" ")[0]).filter((method) => method !== "GET")];
  };
  const refuse = { onRestart: "refuse" };
  const unmanaged = await labWith("db", primary(), {});
  const approved = await labWith("db", primary({ size: 1 }), {});
  const adopting = new Lab();
  byHand(adopting, SEED.primaryId, { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 });
  return [
    await ended(unmanaged.attempt("db", primary({ size: 8, ...refuse }))),
    await ended(approved.attempt("db", primary({ size: 2 }))),
    await ended(adopting.attempt("db", adopted({ size: 2, ...refuse }))),
  ];
}

test("every decision is the same in other words", async () => {
  const before = await decisions();
  vi.resetModules();
  vi.doMock(TEXTS, async (original) => reworded(await original<Module>()));
  const { impactOf, sentence } = await import("../../../provider/rules/impact.js");
  expect(sentence(impactOf({}, { disabled: true }))).toContain("dolor");
  expect(await decisions()).toEqual(before);
  // What is compared says something.
  expect(before.all.find(({ name }) => name === "size")?.refused).toEqual([true, expect.stringContaining("approve")]);
  expect(before.all.map(({ policies }) => policies.join())).toEqual([
    "",
    "",
    "compute-restart",
    "compute-restart",
    "compute-stop",
    "compute-new-host",
    "compute-may-restart",
    "compute-restart",
    "compute-restart",
  ]);
  expect(before.guards).toEqual([
    [true, []],
    [false, ["PATCH"]],
    [true, []],
  ]);
});

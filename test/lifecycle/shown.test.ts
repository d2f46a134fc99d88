/**
 * One setting changed by hand, and one in the program: what the preview shows is sent, and nothing else. For every pair of
 * settings, with and without `ignoreChanges`, with `warn` and `refuse`.
 */
import { describe, expect, test } from "vitest";
import { type EndpointRow, SEED } from "../../emulator/index.js";
import { coversField, fieldsIn, sameValue } from "../chaos/judge/fields";
import { requestedFields } from "../chaos/program";
import { Lab, type Options, type Outcome, type Props } from "../support/lab.js";
import { byHand, compute, primary } from "./support.js";

/** What the program says, or says after its change; with what somebody makes of it by hand. */
interface Setting {
  path: string;
  next: Props;
  byHand: Partial<EndpointRow>;
}

const BASE = primary({
  autoscalingLimitMinCu: 1,
  autoscalingLimitMaxCu: 4,
  suspendTimeoutSeconds: 300,
  name: "ours",
  disabled: false,
  poolerEnabled: false,
  settings: { pgSettings: { a: "1", "b.c": "1" }, preloadLibraries: { useDefaults: false, enabledLibraries: ["x"] } },
  restartTriggers: [1],
});
const settings = (pg: Props, libraries: Props = {}): Props => ({
  settings: {
    pgSettings: { a: "1", "b.c": "1", ...pg },
    preloadLibraries: { useDefaults: false, enabledLibraries: ["x"], ...libraries },
  },
});
const rows = (pg: Props, libraries: Props = {}): Partial<EndpointRow> => ({
  settings: {
    pg_settings: { a: "1", "b.c": "1", ...pg } as Record<string, string>,
    preload_libraries: { use_defaults: false, enabled_libraries: ["x"], ...libraries },
  },
});

const SETTINGS: Setting[] = [
  { path: "branchId", next: { branchId: SEED.branches.preview }, byHand: { branch_id: SEED.branches.preview } },
  { path: "autoscalingLimitMinCu", next: { autoscalingLimitMinCu: 2 }, byHand: { autoscaling_limit_min_cu: 0.5 } },
  { path: "autoscalingLimitMaxCu", next: { autoscalingLimitMaxCu: 2 }, byHand: { autoscaling_limit_max_cu: 8 } },
  { path: "suspendTimeoutSeconds", next: { suspendTimeoutSeconds: 60 }, byHand: { suspend_timeout_seconds: 900 } },
  { path: "name", next: { name: "renamed" }, byHand: { name: "theirs" } },
  { path: "disabled", next: { disabled: true }, byHand: { disabled: true } },
  { path: "poolerEnabled", next: { poolerEnabled: true }, byHand: { pooler_enabled: true } },
  { path: "settings.pgSettings.a", next: settings({ a: "2" }), byHand: rows({ a: "3" }) },
  { path: 'settings.pgSettings["b.c"]', next: settings({ "b.c": "2" }), byHand: rows({ "b.c": "3" }) },
  {
    path: "settings.preloadLibraries.useDefaults",
    next: settings({}, { useDefaults: true }),
    byHand: rows({}, { use_defaults: true }),
  },
  {
    path: "settings.preloadLibraries.enabledLibraries",
    next: settings({}, { enabledLibraries: ["x", "y"] }),
    byHand: rows({}, { enabled_libraries: ["z"] }),
  },
];
const IN_PROGRAM: Pick<Setting, "path" | "next">[] = [
  ...SETTINGS,
  { path: "restartTriggers", next: { restartTriggers: [2] } },
];
/** A key that nobody manages stays as well. */
const FOREIGN: Setting = { path: "a key of theirs", next: {}, byHand: rows({ theirs: "on" }) };

/** The program without a setting: then somebody else's value of it stays. */
function without({ path }: Pick<Setting, "path">): Props {
  const copy = structuredClone(BASE);
  // One limit needs the other.
  if (path.startsWith("autoscaling")) {
    delete copy["autoscalingLimitMinCu"];
    delete copy["autoscalingLimitMaxCu"];
  } else if (!path.startsWith("settings.")) delete copy[path];
  else {
    const [, part, key] = /^settings\.(\w+)(?:\.|\[")([\w.]+)/.exec(path)!;
    delete (copy["settings"] as Record<string, Props>)[part!]![key!];
  }
  return copy;
}

interface Case {
  ignore: readonly string[];
  onRestart: "warn" | "refuse";
  settingsPatch: "replace" | "merge";
}

const CASES = (hand: Setting, program: Pick<Setting, "path">): Case[] =>
  (["warn", "refuse"] as const).flatMap((onRestart) =>
    [[], [hand.path], [program.path], ["settings"]].map((ignore, index) => ({
      ignore: ignore.filter((path) => path !== FOREIGN.path),
      onRestart,
      settingsPatch: index % 2 === 0 ? ("replace" as const) : ("merge" as const),
    })),
  );

/** Holds each request against what the preview showed. */
function judge(preview: Outcome, program: Props, live: EndpointRow, sent: Outcome["sent"]): string[] {
  const [was, asked] = [fieldsIn(live), requestedFields(program)];
  return sent.flatMap(({ line, body }) => {
    if (!line.startsWith("PATCH ")) return [];
    return Object.entries(fieldsIn((body as { endpoint: Props }).endpoint)).flatMap(([field, value]) => {
      if (coversField(preview.differs, field))
        return sameValue(field, value, asked[field]) ? [] : [`${field} is not as asked`];
      if (!sameValue(field, value, was[field])) return [`${field}: ${value} was sent, and not shown`];
      return /_limit_|^settings\./.test(field) ? [] : [`${field} was sent for nothing`];
    });
  });
}

/** What a compute has otherwise than it should after the update. */
function unkept(preview: Outcome, program: Props, live: EndpointRow, now: EndpointRow): string[] {
  const [was, is, asked] = [fieldsIn(live), fieldsIn(now), requestedFields(program)];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((field) => {
    const right = coversField(preview.differs, field) && field in asked ? asked[field] : was[field];
    return !sameValue(field, is[field], right);
  });
}

const isFelt = (was: EndpointRow, now: EndpointRow): boolean =>
  now.disabled !== was.disabled ||
  ["branch_id", "autoscaling_limit_min_cu", "autoscaling_limit_max_cu"].some(
    (name) => was[name as "branch_id"] !== now[name as "branch_id"],
  );

async function play(hand: Setting, managed: Props, next: Props, one: Case, path: string): Promise<string[]> {
  const lab = new Lab({ emulator: { settingsPatch: one.settingsPatch } });
  const options: Record<string, Options> = { db: one.ignore.length > 0 ? { ignoreChanges: one.ignore } : {} };
  const guard = { onRestart: one.onRestart };
  await lab.upAll({ db: { ...managed, ...guard } }, "keep", options);
  byHand(lab, lab.resource("db").id, hand.byHand);
  const row = compute(lab, "db");
  row.autoscaling_limit_max_cu = Math.max(row.autoscaling_limit_min_cu, row.autoscaling_limit_max_cu);
  const live = structuredClone(compute(lab, "db"));
  const program = { ...managed, ...next, ...guard };

  const { db: preview } = await lab.previewAll({ db: program }, options);
  if (preview!.op === "refused") {
    return one.onRestart === "refuse" || /needs .* beside it/.test(String(preview!.error))
      ? []
      : [`refused: ${preview!.error}`];
  }
  const { db: outcome } = await lab.upAll({ db: program }, "keep", options);
  const wrong = judge(preview!, program, live, outcome!.sent);
  if (outcome!.error) {
    const names = /pulumi up --refresh/.test(outcome!.error.message);
    if (!names) wrong.push(`failed: ${outcome!.error.message}`);
    if (outcome!.sent.some(({ line }) => !line.startsWith("GET "))) wrong.push("failed, and sent something");
    return wrong;
  }
  const now = structuredClone(compute(lab, "db"));
  wrong.push(...unkept(preview!, program, live, now).map((field) => `${field} of the compute is not kept`));
  if (isFelt(live, now) && preview!.marker.startsWith("no")) wrong.push(`felt, and the marker said ${preview!.marker}`);
  if (isFelt(live, now) && one.onRestart === "refuse") wrong.push("felt under refuse");
  const restarts = outcome!.sent.some(({ line }) => line.endsWith("/restart"));
  if (restarts && (path !== "restartTriggers" || one.ignore.includes(path))) wrong.push("restarted for nothing");

  // Without a refresh nothing of what somebody changed is known, so nothing is to do.
  const { db: again } = await lab.upAll({ db: program }, "keep", options);
  if (again!.op !== "same" || again!.sent.length > 0) {
    wrong.push(`a second up is ${again!.op}, sends ${again!.sent.map(({ line }) => line).join(", ") || "nothing"}`);
  }
  return wrong;
}

describe.each([...SETTINGS, FOREIGN].map((hand) => [hand.path, hand] as const))(
  "%s is changed by hand",
  (_path, hand) => {
    const programs = [
      ["and managed", BASE],
      ...(hand === FOREIGN || hand.path === "branchId" ? [] : [["and not managed", without(hand)]]),
    ] as [string, Props][];
    test.each(programs)(
      "%s: what the preview shows of another change is sent, and nothing else",
      async (_how, managed) => {
        const wrong: string[] = [];
        for (const { path, next } of IN_PROGRAM) {
          for (const one of CASES(hand, { path })) {
            for (const what of await play(hand, managed, next, one, path)) {
              wrong.push(
                `${path}, ignoring ${one.ignore.join(" and ") || "nothing"}, ${one.onRestart}, ${one.settingsPatch}: ${what}`,
              );
            }
          }
        }
        expect(wrong).toEqual([]);
      },
      60_000,
    );
  },
);

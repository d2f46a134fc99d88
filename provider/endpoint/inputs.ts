// Checks the program's values. In a preview a value may not be known yet: the engine then sends a fixed string in its place,
// whatever the type is.

import * as z from "zod/mini";
import { isAtLeast } from "../rules/impact.js";
import { isName } from "../rules/name.js";
import { type ImpactNotice, NOTICE, readNotice } from "../rules/notice.js";
import { ON_RESTART } from "../rules/policies.js";
import { quotedText } from "../rules/quoted-text.js";
import {
  type PartName,
  type SettingProperty,
  type Settings,
  type SettingsInput,
  SIZE_LIMITS,
  settingsWhere,
} from "../rules/settings.js";
import { alwaysOnProblem, rangeProblem, sizeProblem, suspendProblem } from "../rules/size.js";

/** What Pulumi sends for a value that preview does not know. */
export const UNKNOWN_VALUE = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export interface Problem {
  /** Path of the property in the program. */
  property: string;
  reason: string;
}

type Issue = { input?: unknown };

/**
 * "3.5 is not a whole number", "a string is not true or false". No string is shown: the engine does not say which values the
 * program's transforms made secret. The engine itself adds the value of a property, hidden where it is secret.
 */
const isNot = (what: string) => ({ error: ({ input }: Issue) => `${show(input)} is not ${what}` });
/** Where few words are allowed, a wrong word is shown: it is a typo, not a secret. */
const oneOf = <const T extends readonly string[]>(words: T) =>
  z.enum(words, {
    error: ({ input }: Issue) =>
      `${typeof input === "string" ? quotedText(input) : show(input)} is not one of ${words.map((word) => `"${word}"`).join(", ")}`,
  });
const flag = () => z.boolean(isNot("true or false"));
const computeUnits = () => z.number(isNot("a number of compute units (CU), for example 2"));
const id = (what: string) =>
  z
    .string(isNot(`${what} (a string)`))
    .check(z.regex(/^[a-z0-9-]{1,60}$/, isNot(`${what}: 1 to 60 lower-case letters, digits and dashes`)));

/** One part of a duration such as "1h30m". */
const DURATION_PART = /(\d+(?:\.\d+)?)(h|ms|m|s)/;
const DURATION = new RegExp(`^(?:${DURATION_PART.source})+$`);
/** Whether the text is a duration such as "90s" or "1h30m". */
export const isDuration = (text: string): boolean => DURATION.test(text);
const duration = () =>
  z
    .string(isNot('a duration such as "10m" or "90s"'))
    .check(z.regex(DURATION, isNot('a duration such as "10m" or "90s"')));

const ADOPT = 'true, false or the id of a compute, "ep-…"';

const PreloadLibraries = z.strictObject(
  {
    useDefaults: z.optional(flag()),
    enabledLibraries: z.optional(z.array(z.string(isNot("the name of a library")), isNot("a list of library names"))),
  },
  isNot("an object { useDefaults, enabledLibraries }"),
);

const SettingsObject = z.strictObject(
  {
    pgSettings: z.optional(
      z.record(
        z.string(),
        z.string({
          error: ({ input }: Issue) =>
            `${kindOf(input)} is not a string: Postgres settings are sent as text, for example "128MB" or "100"`,
        }),
        isNot("an object of Postgres settings"),
      ),
    ),
    preloadLibraries: z.optional(PreloadLibraries),
  } satisfies { [K in PartName]: z.ZodMiniType<Settings[K] | undefined> },
  isNot("an object { pgSettings, preloadLibraries }"),
);

const CustomTimeouts = z.strictObject(
  { create: z.optional(duration()), update: z.optional(duration()), delete: z.optional(duration()) },
  isNot("an object { create, update, delete }"),
);

/**
 * The schema of a program's inputs. All properties are optional here; `checkInputs` reports missing ones, because an unknown
 * value counts as given.
 */
const Inputs = z.strictObject({
  projectId: z.optional(id("a project id")),
  branchId: z.optional(id("a branch id")),
  type: z.optional(oneOf(["read_write", "read_only"])),
  regionId: z.optional(
    z.string(isNot("a region such as aws-us-east-2")).check(z.minLength(1, isNot("a region such as aws-us-east-2"))),
  ),
  size: z.optional(computeUnits()),
  autoscalingLimitMinCu: z.optional(computeUnits()),
  autoscalingLimitMaxCu: z.optional(computeUnits()),
  suspendTimeoutSeconds: z.optional(z.number(isNot("a number of seconds, -1 or 0"))),
  name: z.optional(
    z
      .string(isNot("a name (a string)"))
      .check(z.refine(isName, isNot("a name: 1 to 64 characters, without line breaks and other control characters"))),
  ),
  disabled: z.optional(flag()),
  poolerEnabled: z.optional(flag()),
  settings: z.optional(SettingsObject),
  // The value may be a secret, and is not shown if it is not a list.
  restartTriggers: z.optional(z.array(z.unknown(), "restartTriggers is not a list of values")),
  adopt: z.optional(
    z.union([z.boolean(), z.string().check(z.regex(/^ep-[a-z0-9-]{1,57}$/, isNot(ADOPT)))], isNot(ADOPT)),
  ),
  onDelete: z.optional(oneOf(["delete", "release"])),
  onRestart: z.optional(oneOf(ON_RESTART)),
  waitForReady: z.optional(flag()),
  customTimeouts: z.optional(CustomTimeouts),
} satisfies { [K in SettingProperty]: z.ZodMiniType<SettingsInput[K]> } & Record<string, z.ZodMiniType>);
export type Inputs = z.infer<typeof Inputs>;

/** Internal inputs, which the class and check add. They are not validated. */
export const INTERNAL_INPUTS = [
  "__provider",
  "__urn",
  "__parent",
  "__autoName",
  "__secret",
  "__mayReplace",
  "__retain",
  "__createFirst",
  "__preview",
  NOTICE,
  "restart",
] as const;

/** Resource options that are in the engine's request. Pulumi's shim does not pass them on (`shim.ts`). */
export interface StepRequest {
  /** Milliseconds, from the resource's `customTimeouts`; 0 if it has none for this step. */
  timeoutMs?: number;
}

/** What a resource is to be: its inputs and options, as a step gets them. */
export interface DesiredState extends StepRequest {
  inputs: Inputs;
  /** The generated name, if the program sets none. */
  autoName?: string;
  /** Properties whose values must not show under another name or in a message. */
  secrets: ReadonlySet<string>;
  /** Whether the resource has the option retainOnDelete. A deletion goes by the option that the state had before this run. */
  retained?: boolean;
  /** The impact that the preview announced; absent if it announced none. */
  announced?: ImpactNotice;
  /** Whether check has made the inputs. In a refresh they come from the state, and nothing was announced. */
  isChecked: boolean;
}

/** Whether check compared the old inputs, announced a restart, and let it pass. */
export const checkPassedRestart = ({ announced }: DesiredState): boolean =>
  announced !== undefined && isAtLeast(announced.impact, "restart");

/** Reads inputs that check has passed. */
export function desiredStateOf(raw: Record<string, unknown>, request: StepRequest = {}): DesiredState {
  const { __autoName: autoName, __secret: secrets } = raw;
  const announced = readNotice(raw);
  return {
    ...request,
    inputs: checkInputs(raw).inputs,
    ...(typeof autoName === "string" ? { autoName } : {}),
    ...(raw["__retain"] === true ? { retained: true } : {}),
    secrets: new Set(Array.isArray(secrets) ? secrets.map(String) : []),
    ...(announced && announced.impact !== "none" ? { announced } : {}),
    isChecked: raw["restart"] !== undefined,
  };
}

export interface Checked {
  /** The known values, typed. Complete only if `problems` is empty. */
  inputs: Inputs;
  /** Top-level properties, and `settings.…` parts, that are not known yet. */
  unknown: ReadonlySet<string>;
  problems: Problem[];
  /** Problems of the size rules alone, which `compute:sizes: unchecked` turns into warnings. */
  sizeProblems: Problem[];
}

/** Checks the program's values, all failures at once. */
export function checkInputs(raw: Record<string, unknown>): Checked {
  const unknown = new Set<string>();
  const values = withoutUnknown(raw, unknown);
  for (const key of INTERNAL_INPUTS) delete values[key];
  const parsed = Inputs.safeParse(values);
  const problems = parsed.success ? [] : parsed.error.issues.flatMap(problemsOf);
  const inputs = (parsed.success ? parsed.data : values) as Inputs;
  const isGiven = (name: string) => unknown.has(name) || values[name] !== undefined;
  for (const name of settingsWhere({ required: true })) {
    if (!isGiven(name)) problems.push({ property: name, reason: `${name} is required` });
  }
  const broken = (name: string) => problems.some(({ property }) => property === name);
  if (inputs.adopt === true && inputs.type === "read_only") {
    problems.push({
      property: "adopt",
      reason: 'adopt: true takes over the primary of the branch; for a read replica give its id, adopt: "ep-…"',
    });
  }
  if (typeof inputs.suspendTimeoutSeconds === "number") {
    const reason = suspendProblem(inputs.suspendTimeoutSeconds);
    if (reason) problems.push({ property: "suspendTimeoutSeconds", reason });
  }
  problems.push(...limitForms(isGiven));
  return { inputs, unknown, problems, sizeProblems: sizeRules(inputs, broken) };
}

/** Requires `size` or both limits. With one limit, the other would depend on the service. */
function limitForms(isGiven: (name: string) => boolean): Problem[] {
  const [given, missing] = [SIZE_LIMITS.filter(isGiven), SIZE_LIMITS.filter((name) => !isGiven(name))];
  if (isGiven("size") && given.length > 0) {
    return [{ property: "size", reason: "set either size or the two autoscaling limits, not both" }];
  }
  const [[one], [other]] = [given, missing];
  if (one === undefined || other === undefined) return [];
  return [{ property: one, reason: `${one} needs ${other} beside it; for a fixed size use size` }];
}

function sizeRules(inputs: Inputs, broken: (name: string) => boolean): Problem[] {
  const found: Problem[] = [];
  const wellFormed = (name: "size" | "autoscalingLimitMinCu" | "autoscalingLimitMaxCu") => {
    const cu = inputs[name];
    if (typeof cu !== "number" || broken(name)) return undefined;
    const reason = sizeProblem(cu);
    if (reason) found.push({ property: name, reason });
    return reason ? undefined : cu;
  };
  const size = wellFormed("size");
  const min = wellFormed("autoscalingLimitMinCu") ?? size;
  const max = wellFormed("autoscalingLimitMaxCu") ?? size;
  if (min !== undefined && max !== undefined) {
    const reason = rangeProblem(min, max);
    if (reason) found.push({ property: "autoscalingLimitMaxCu", reason });
  }
  if (max !== undefined && typeof inputs.suspendTimeoutSeconds === "number") {
    const reason = alwaysOnProblem(max, inputs.suspendTimeoutSeconds);
    if (reason) found.push({ property: "suspendTimeoutSeconds", reason });
  }
  return found;
}

/** Milliseconds of a duration such as "1h30m"; undefined if the program sets none. */
export function millisecondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const unit: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
  return [...text.matchAll(new RegExp(DURATION_PART, "g"))].reduce((sum, [, n, u]) => sum + Number(n) * unit[u!]!, 0);
}

/** A copy without the unknown values; their paths go into `unknown`. A list with an unknown item is unknown whole. */
function withoutUnknown(value: Record<string, unknown>, unknown: Set<string>, path = ""): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    const at = path ? `${path}.${key}` : key;
    if (inner === UNKNOWN_VALUE || (Array.isArray(inner) && JSON.stringify(inner).includes(UNKNOWN_VALUE))) {
      unknown.add(at);
    } else if (inner !== null && typeof inner === "object" && !Array.isArray(inner)) {
      copy[key] = withoutUnknown(inner as Record<string, unknown>, unknown, at);
    } else if (inner !== undefined && inner !== null) {
      copy[key] = inner;
    }
  }
  return copy;
}

function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  const path = issue.path.map(String);
  if (issue.code !== "unrecognized_keys") return [{ property: path.join("."), reason: issue.message }];
  const known = KNOWN[path.join(".")] ?? [];
  return issue.keys.map((key) => {
    const near = known.find((name) => folded(name) === folded(key));
    const hint = near ? `did you mean ${near}?` : known.length ? `the known ones are ${known.join(", ")}` : "remove it";
    return { property: [...path, key].join("."), reason: `there is no property ${key}: ${hint}` };
  });
}

/** The allowed properties of each object, by its path. */
const KNOWN: Record<string, string[]> = {
  "": Object.keys(Inputs.shape),
  settings: Object.keys(SettingsObject.shape),
  "settings.preloadLibraries": Object.keys(PreloadLibraries.shape),
  customTimeouts: Object.keys(CustomTimeouts.shape),
};

/** `autoscaling_limit_min_cu` and `AutoscalingLimitMinCU` are both meant as `autoscalingLimitMinCu`. */
const folded = (key: string) => key.toLowerCase().replace(/[^a-z]/g, "");

function show(value: unknown): string {
  // JSON has no NaN and no Infinity.
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  // Users often put a number or a boolean in quotes.
  if (typeof value === "string") return PLAIN.test(value) ? `"${value}"` : "the value";
  return kindOf(value);
}

const kindOf = (value: unknown): string =>
  Array.isArray(value) ? "a list" : value !== null && typeof value === "object" ? "an object" : `a ${typeof value}`;

const PLAIN = /^(true|false|-?\d{1,15}(\.\d{1,5})?)$/;

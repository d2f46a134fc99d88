import { readConfig } from "../../../provider/config.js";
import { check, type FirstOldInputs } from "../../../provider/endpoint/check.js";
import { hintsIn } from "../../../provider/endpoint/hints.js";

export type Props = Record<string, unknown>;

/** What every program has to say. */
export const OK = { projectId: "p-1", branchId: "br-1" };

/** The provider's settings, with these values in the stack's config. */
export const config = (values: Record<string, string> = {}) => readConfig({ get: (name) => values[name] }, {});

const CONFIG = config();

export const checked = (news: Props, olds: Props = {}, settings = CONFIG, first: FirstOldInputs = new Map()) =>
  check(first, settings, olds, { __provider: "text", ...news }, hintsIn(news));

export const failures = (news: Props, olds?: Props, settings?: typeof CONFIG) => checked(news, olds, settings).failures;

export const marker = (news: Props, olds?: Props) => checked(news, olds).inputs["restart"];

/** What the class hands to check. */
export const urnOf = (name: string): string => `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/compute:Endpoint::${name}`;

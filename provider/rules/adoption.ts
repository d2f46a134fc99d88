// What the creation of a resource says where it takes over a compute that exists already, with settings that check can't see.

import type { ImpactNotice } from "./notice.js";
import { isHidden, propertyOf, type SettingName, UNKNOWN, type Wish } from "./settings.js";
import { ADOPTION, MARKER, VALUES } from "./texts.js";

/** The settings whose change is felt by whoever is connected to a compute that is taken over. */
const FELT: readonly SettingName[] = [
  "branchId",
  "autoscalingLimitMinCu",
  "autoscalingLimitMaxCu",
  "pgSettings",
  "disabled",
];

/** The text `restart` and the data beside it. */
export interface Marked {
  restart: string;
  notice?: ImpactNotice;
}

/** @param adopt as the program says it; undefined where it is not known yet */
export function adoptionOf(
  adopt: boolean | string | undefined,
  wish: Wish,
  { secrets, asSize }: { secrets: ReadonlySet<string>; asSize: boolean },
): Marked {
  const felt = FELT.filter((name) => {
    if (wish[name] === undefined || (name === "disabled" && wish[name] === false)) return false;
    return name !== "branchId" || adopt !== true;
  });
  if (felt.length === 0) return { restart: MARKER.none };
  const nameOf = (name: SettingName) => (asSize && name.startsWith("autoscaling") ? "size" : propertyOf(name));
  const sets = felt.map((name) => {
    const value = wish[name];
    const property = nameOf(name);
    if (isHidden(property, secrets)) return `${property} (secret)`;
    if (value === UNKNOWN) return `${property} ${VALUES.unknown}`;
    // Any string may be a secret that the program's rules made: see `showsStrings`.
    return typeof value === "number" || typeof value === "boolean" ? `${property} ${value}` : property;
  });
  const whose = adopt === true ? ADOPTION.primary : adopt ? ADOPTION.byId : ADOPTION.unnamed;
  return {
    restart: MARKER.maybe(ADOPTION.sentence(whose, [...new Set(sets)])),
    notice: { impact: "may-restart", properties: [...new Set(felt.map(nameOf))] },
  };
}

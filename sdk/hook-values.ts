// Turns the hook's arguments from Pulumi into plain values and desired settings. Secrets come
// as Outputs. `UNKNOWN` and `ASSET` stand for values that can't be compared here.

import * as pulumi from "@pulumi/pulumi";
import { type DesiredSettings, desiredSettings, type SettingsInput, UNKNOWN } from "../provider/rules/settings.js";

export type Props = Record<string, unknown>;

/** Pulumi's SDK makes objects of assets and archives, without the hashes by which they are compared. */
const ASSET = Symbol("an asset or archive");

/** @param secrets gets the top-level names of the values that are secret */
export async function plain(props: Props | undefined, secrets: Set<string>): Promise<Props> {
  const copy: Props = {};
  for (const [name, value] of Object.entries(props ?? {}))
    copy[name] = await plainValue(value, () => secrets.add(name));
  return copy;
}

async function plainValue(value: unknown, isSecret: () => void): Promise<unknown> {
  if (pulumi.Output.isInstance(value)) {
    isSecret();
    return plainValue(await new Promise((resolve) => value.apply(resolve)), isSecret);
  }
  if (pulumi.isUnknown(value)) return UNKNOWN;
  if (isAsset(value)) return ASSET;
  if (Array.isArray(value)) return Promise.all(value.map((one) => plainValue(one, isSecret)));
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(async ([key, inner]) => [key, await plainValue(inner, isSecret)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

const isAsset = (value: unknown): boolean =>
  pulumi.asset.Asset.isInstance(value) || pulumi.asset.Archive.isInstance(value);

/**
 * The desired settings in the hook's inputs. If a part of `settings` contains an unknown value, the whole part is unknown.
 * Triggers with an asset are left out: only check can compare them.
 */
export function desiredIn(news: Props): DesiredSettings {
  const unknown = new Set<string>();
  const asked: Props = {};
  for (const [name, value] of Object.entries(news)) {
    if (value === UNKNOWN || (Array.isArray(value) && holds(value, UNKNOWN))) unknown.add(name);
    else if (name === "settings") asked[name] = knownParts(value as Props, unknown);
    else if (!holds(value, ASSET)) asked[name] = value;
  }
  return desiredSettings(asked as SettingsInput, unknown);
}

function knownParts(settings: Props, unknown: Set<string>): Props {
  return Object.fromEntries(
    Object.entries(settings).filter(([part, value]) => {
      const isKnown = !holds(value, UNKNOWN);
      if (!isKnown) unknown.add(`settings.${part}`);
      return isKnown;
    }),
  );
}

/** Whether the value contains the symbol. */
const holds = (value: unknown, symbol: symbol): boolean =>
  value === symbol ||
  (value !== null && typeof value === "object" && Object.values(value).some((one) => holds(one, symbol)));

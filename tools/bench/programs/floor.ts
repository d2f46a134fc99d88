// The same computes with a provider that asks nobody anything: what is left is the engine's own cost.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";

/** A literal like ours, so that neither form of state costs the engine more than the other. */
const PROVIDER_TEXT = 'exports.handler = () => require("compute-endpoint-floor/provider").provider;';

/** Outputs that the engine is to fill in, as many as ours. */
const OUTPUTS = [
  "type",
  "regionId",
  "name",
  "disabled",
  "poolerEnabled",
  "settings",
  "host",
  "poolerHost",
  "proxyHost",
  "createdAt",
  "poolerMode",
  "passwordlessAccess",
  "provisioner",
  "adopted",
  "restart",
  "managed",
];

class Floor extends pulumi.CustomResource {
  constructor(name: string, args: object) {
    const absent = Object.fromEntries(OUTPUTS.map((output) => [output, undefined]));
    super("pulumi-nodejs:dynamic/bench:Endpoint", name, {
      ...absent,
      ...args,
      __urn: name,
      __provider: PROVIDER_TEXT,
    });
  }
}

const fleet: { name: string; args: object }[] = JSON.parse(readFileSync(join(__dirname, "fleet.json"), "utf8"));
for (const { name, args } of fleet) new Floor(name, args);

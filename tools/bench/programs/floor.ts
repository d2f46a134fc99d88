// The same computes with a provider that sends no requests. It costs what the engine itself costs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";

/** A literal like ours, so that both providers have the same amount of text in the state. */
const PROVIDER_TEXT = 'exports.handler = () => require("compute-endpoint-floor/provider").provider;';

/** The names of the outputs, as many as ours. */
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

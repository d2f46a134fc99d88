// The program that is measured: computes as a user writes them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Endpoint, type EndpointArgs } from "pulumi-compute-endpoint";

const fleet: { name: string; args: EndpointArgs }[] = JSON.parse(readFileSync(join(__dirname, "fleet.json"), "utf8"));
for (const { name, args } of fleet) new Endpoint(name, args);

// Lists of things that the emulator does not have. Clients that read a whole project or branch find them empty.

import { type Call, type Route, route } from "../http/route.js";
import { branchOf, projectOf } from "./lookup.js";

const OF_A_PROJECT = {
  vpc_endpoints: "endpoints",
  snapshots: "snapshots",
};
const OF_A_BRANCH = ["buckets", "functions", "credentials"];

const emptyList = (name: string) => ({ status: 200, body: { [name]: [] } });

const ofBranch = (name: string) => (call: Call) => {
  branchOf(call, projectOf(call));
  return emptyList(name);
};
const ofProject = (name: string) => (call: Call) => {
  projectOf(call);
  return emptyList(name);
};

export const emptyRoutes: Route[] = [
  ...Object.entries(OF_A_PROJECT).map(([part, name]) => route("GET", `/projects/:project/${part}`, ofProject(name))),
  ...OF_A_BRANCH.map((name) => route("GET", `/projects/:project/branches/:branch/${name}`, ofBranch(name))),
];

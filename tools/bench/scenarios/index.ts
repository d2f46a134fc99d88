import type { Scenario } from "../bench";
import { branches } from "./branches";
import { memory } from "./memory";
import { one } from "./one";
import { parallel } from "./parallel";
import { plugin } from "./plugin";
import { projects } from "./projects";
import { refresh } from "./refresh";
import { restarts } from "./restarts";
import { stacks } from "./stacks";
import { start } from "./start";
import { state } from "./state";
import { unchanged } from "./unchanged";
import { wait } from "./wait";
import { whole } from "./whole";

export const SCENARIOS: readonly Scenario[] = [
  unchanged,
  restarts,
  refresh,
  branches,
  parallel,
  whole,
  projects,
  stacks,
  wait,
  start,
  one,
  state,
  memory,
  plugin,
];

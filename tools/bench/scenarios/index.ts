import type { Scenario } from "../bench";
import { branches } from "./branches";
import { memory } from "./memory";
import { projects } from "./projects";
import { refresh } from "./refresh";
import { start } from "./start";
import { state } from "./state";
import { unchanged } from "./unchanged";
import { wait } from "./wait";
import { whole } from "./whole";

export const SCENARIOS: readonly Scenario[] = [
  unchanged,
  refresh,
  branches,
  whole,
  projects,
  wait,
  start,
  state,
  memory,
];

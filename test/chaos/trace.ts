// What a command sent and how it ended, line by line, for a replayed counterexample.

import type { Lab } from "../support/lab";
import type { Report } from "./judge/judge";

const at = (ms: number | undefined): string => `${((ms ?? 0) / 1000).toFixed(3)} s`;

export function trace(report: Report, lab: Lab): string[] {
  const { stack, command, killed, hits, plans, steps, warnings, after } = report;
  const title = `${command} of stack ${stack + 1}${killed ? ", killed" : ""}`;
  return [
    "",
    hits.size > 0 ? `${title} (${[...hits].join("; ")})` : title,
    ...Object.entries(plans).map(([name, { op, marker, notice }]) => `  plan ${name}: ${op}, ${marker}, ${notice}`),
    ...lab.last.sent.map(({ at: when, line, status, body }) =>
      [`  ${at(when)}`, line, status, body && JSON.stringify(body)].filter(Boolean).join(" "),
    ),
    ...steps.map(
      ({ op, name, from, to, error }) =>
        `  ${op} of ${name}, ${at(from)} to ${at(to)}${error ? `: ${error.message}` : ""}`,
    ),
    ...warnings.map((warning) => `  warning: ${warning}`),
    ...[...after].map(([name, { id, pendingReplacement, outputs }]) => {
      const unfinished = outputs["unfinished"] ? `, unfinished ${JSON.stringify(outputs["unfinished"])}` : "";
      return `  state: ${name} is ${id}${pendingReplacement ? ", to be replaced" : ""}${unfinished}`;
    }),
    ...Object.values(lab.emulator.world.endpoints).map(({ id, name, type, branch_id, current_state, pending_state }) =>
      ["  service:", id, name, type, branch_id, current_state, pending_state].filter(Boolean).join(" "),
    ),
  ];
}

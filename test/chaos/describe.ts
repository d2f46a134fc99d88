// Writes a scenario in lines for people.

import type { Fault } from "./faults/fault";
import { argsOf, nameOf, optionsOf, type ResourceSpec, type Slot } from "./program";
import { DEFAULT_SERVICE, type Edit, type Round, type Scenario, type Service } from "./scenario";

export function describeScenario(scenario: Scenario): string[] {
  const differs = Object.entries(scenario.service).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(DEFAULT_SERVICE[name as keyof Service]),
  );
  const service = differs.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(", ");
  const lines = [
    ...(service === "" ? [] : [`the service: ${service}`]),
    ...scenario.programs.flatMap((specs, stack) => describeProgram(stack, specs, scenario.twins)),
  ];
  for (const round of scenario.rounds) lines.push(...describeRound(round));
  lines.push(`the faults end; then ${scenario.end} of both stacks, and destroy`);
  return lines;
}

function describeProgram(stack: number, specs: (ResourceSpec | null)[], twins: boolean): string[] {
  const title = `stack ${stack + 1}${twins && stack === 1 ? " (of the same name, in another backend)" : ""} begins with`;
  const each = specs.flatMap((spec, index) =>
    spec ? [`  ${describeSpec(stack, index, { spec, generation: 0 })}`] : [],
  );
  return each.length > 0 ? [title, ...each] : [];
}

function describeSpec(stack: number, index: number, slot: Slot): string {
  const { projectId: _, ...args } = argsOf(stack, index, slot.spec);
  const options = optionsOf(slot.spec);
  const rest = Object.keys(options).length > 0 ? `, options ${JSON.stringify(options)}` : "";
  return `${nameOf(index, slot)}: ${JSON.stringify(args)}${rest}`;
}

function describeRound(round: Round): string[] {
  const { stack, command, kill, interrupt, both, waitMs } = round;
  const notes = [
    ...round.edits.map((edit) => describeEdit(stack, edit)),
    ...round.faults.map(describeFault),
    ...round.manualChanges.map(({ what, which, at }) => `by hand, before request ${at}: ${what} compute ${which}`),
    ...(kill
      ? [`killed ${kill.laterMs} ms ${kill.when === "after" ? "after the answer to" : "from"} request ${kill.request}`]
      : []),
    ...(interrupt === null ? [] : [`one Ctrl-C at request ${interrupt}`]),
    ...(both ? [`stack ${2 - stack} runs up at the same time`] : []),
  ];
  const wait = waitMs > 0 ? `${waitMs / 1000} s later, ` : "";
  return [`${wait}${command} of stack ${stack + 1}`, ...notes.map((note) => `    ${note}`)];
}

function describeEdit(stack: number, edit: Edit): string {
  const name = nameOf(edit.slot, { spec: {} as ResourceSpec, generation: 0 });
  if ("back" in edit) return `${name} is taken back to what it was before its last change`;
  if ("rename" in edit) return `${name} gets another name`;
  if ("change" in edit) return `${name} changes: ${JSON.stringify(edit.change)}`;
  return edit.to
    ? `now ${describeSpec(stack, edit.slot, { spec: edit.to, generation: 0 })}`
    : `${name} leaves the program`;
}

function describeFault({ kind, on, skip, times, salt }: Fault): string {
  const when = skip > 0 ? `, after ${skip} that pass` : "";
  return `${kind}, ${times} times, on ${on}${when} (salt ${salt})`;
}

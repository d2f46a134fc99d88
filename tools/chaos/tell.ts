// A story in lines that a person can read.

import type { Fault } from "./faults";
import { argsOf, nameOf, optionsOf, type Slot, type Wish } from "./program";
import { type Act, CALM, type Edit, type Service, type Story } from "./story";

export function tell(story: Story): string[] {
  const differs = Object.entries(story.service).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(CALM[name as keyof Service]),
  );
  const service = differs.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(", ");
  const lines = [
    ...(service === "" ? [] : [`the service: ${service}`]),
    ...story.programs.flatMap((wishes, stack) => tellProgram(stack, wishes, story.twins)),
  ];
  for (const act of story.acts) lines.push(...tellAct(act));
  lines.push(`the faults end; then ${story.end} of both stacks, and destroy`);
  return lines;
}

function tellProgram(stack: number, wishes: (Wish | null)[], twins: boolean): string[] {
  const title = `stack ${stack + 1}${twins && stack === 1 ? " (of the same name, in another backend)" : ""} begins with`;
  const each = wishes.flatMap((wish, index) => (wish ? [`  ${tellWish(stack, index, { wish, generation: 0 })}`] : []));
  return each.length > 0 ? [title, ...each] : [];
}

function tellWish(stack: number, index: number, slot: Slot): string {
  const { projectId: _, ...args } = argsOf(stack, index, slot.wish);
  const options = optionsOf(slot.wish);
  const rest = Object.keys(options).length > 0 ? `, options ${JSON.stringify(options)}` : "";
  return `${nameOf(index, slot)}: ${JSON.stringify(args)}${rest}`;
}

function tellAct(act: Act): string[] {
  const { stack, command, kill, interrupt, both, waitMs } = act;
  const notes = [
    ...act.edits.map((edit) => tellEdit(stack, edit)),
    ...act.faults.map(tellFault),
    ...act.hands.map(({ what, which, at }) => `by hand, before request ${at}: ${what} compute ${which}`),
    ...(kill
      ? [`killed ${kill.laterMs} ms ${kill.when === "after" ? "after the answer to" : "from"} request ${kill.request}`]
      : []),
    ...(interrupt === null ? [] : [`one Ctrl-C at request ${interrupt}`]),
    ...(both ? [`stack ${2 - stack} runs up at the same time`] : []),
  ];
  const wait = waitMs > 0 ? `${waitMs / 1000} s later, ` : "";
  return [`${wait}${command} of stack ${stack + 1}`, ...notes.map((note) => `    ${note}`)];
}

function tellEdit(stack: number, edit: Edit): string {
  const name = nameOf(edit.slot, { wish: {} as Wish, generation: 0 });
  if ("back" in edit) return `${name} is taken back to what it was before its last change`;
  if ("rename" in edit) return `${name} gets another name`;
  if ("change" in edit) return `${name} changes: ${JSON.stringify(edit.change)}`;
  return edit.to ? `now ${tellWish(stack, edit.slot, { wish: edit.to, generation: 0 })}` : `${name} leaves the program`;
}

function tellFault({ kind, on, skip, times, salt }: Fault): string {
  const when = skip > 0 ? `, after ${skip} that pass` : "";
  return `${kind}, ${times} times, on ${on}${when} (salt ${salt})`;
}

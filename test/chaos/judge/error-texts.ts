// Promise 4: an error says what was tried, what the service answered, what the state now holds and what to do.

import type { Step } from "../../support/lab";
import { type Report, Violation } from "./judge";

const TRIED = /(GET|POST|PATCH|DELETE) \/projects\/|compute ep-|branch br-|project [a-z]|adopt|^interrupted\b/;
const STATE =
  /\bstate\b|nothing was (changed|sent|created)|it was not touched|this compute was not changed|no compute was created/i;
const WAY =
  /\bpulumi (up|refresh|state)|choose(:| another)|check |set |adopt: |run the command again|take the right one|name another|set adopt |customTimeouts/i;

export function judgeErrorTexts({ steps }: Pick<Report, "steps">): void {
  for (const step of steps) {
    if (step.error && step.op !== "refused") judgeError(step, step.error.message);
  }
}

function judgeError(step: Step, text: string): void {
  const lacks = (what: string) => new Violation(`an error without ${what}`, `${step.op} of ${step.name}: ${text}`);
  if (/Unexpected struct type|is not a function|Cannot read prop|undefined/.test(text)) throw lacks("sense");
  if (!TRIED.test(text)) throw lacks("what was tried");
  if (!STATE.test(text)) throw lacks("what the state holds");
  if (!WAY.test(text)) throw lacks("what to do");
}

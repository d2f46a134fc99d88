// Bugs that providers like this one have had, and this one too. Each bug is a replacement of text in a copy of the
// sources.

export interface Bug {
  name: string;
  file: string;
  /** Exact text that must be in the file once, and its replacement. */
  changes: [was: string, is: string][];
  /** With this seed the bug is found within 300 runs. */
  seed: number;
  /** The promise that it breaks. Another violation is a bug of the sources, not this one. */
  rule: string;
}

export const BUGS: Bug[] = [
  {
    name: "repeat a POST after 502",
    file: "provider/api/retry.ts",
    changes: [
      [
        "      return !isMutation(method) && (failure.status === 408 || (failure.status >= 500 && failure.status !== 501));\n",
        '      if (method === "POST" && failure.status === 502) return true;\n      return !isMutation(method) && (failure.status === 408 || (failure.status >= 500 && failure.status !== 501));\n',
      ],
    ],
    seed: 1,
    rule: "created twice",
  },
  {
    name: "save the id only after the wait",
    file: "provider/endpoint/create.ts",
    changes: [
      [
        'import { retryUnlessApplied } from "../operations/retry-unless-applied.js";',
        'import { retryUnlessApplied } from "../operations/retry-unless-applied.js";\nimport { settle } from "../operations/settle.js";',
      ],
      [
        '    const after = await settleOrKeep(shared, target, made, stepDeadline, existing ? undefined : "created");\n',
        "    if (inputs.waitForReady !== false) await settle(context, project, made.operations, stepDeadline);\n    const after = made.endpoint;\n",
      ],
    ],
    seed: 1,
    rule: "not in the state",
  },
  {
    name: "treat failed as done",
    file: "provider/operations/outcome.ts",
    changes: [['["failed", ["may-retry", "Error"]]', '["failed", ["done", "OK"]]']],
    seed: 1,
    rule: "success too early",
  },
  {
    name: "adopt by name",
    file: "provider/endpoint/create.ts",
    changes: [
      [
        "    const existing = computeToAdopt(shared, desiredState, project, computes);\n",
        "    const name = inputs.name ?? desiredState.autoName;\n    const existing = computeToAdopt(shared, desiredState, project, computes) ?? computes.find((one) => one.name === name);\n",
      ],
    ],
    seed: 1,
    rule: "adopted unasked",
  },
  {
    name: "treat 404 or 403 of the project as gone",
    file: "provider/endpoint/read.ts",
    changes: [
      [
        "    throw projectProblem(error, project, id);\n",
        '    if (isKind(error, "service") && [403, 404].includes(error.answer.status)) return undefined;\n    throw projectProblem(error, project, id);\n',
      ],
    ],
    seed: 1,
    rule: "lost from the state",
  },
  {
    name: "forget unfinished operations on refresh",
    file: "provider/endpoint/read.ts",
    changes: [["  if (unfinished.length > 0) outputs.unfinished = unfinished;\n", ""]],
    seed: 1,
    rule: "never started",
  },
  {
    name: "put drift into the outputs when an update reads the compute back",
    file: "provider/endpoint/read-back.ts",
    changes: [
      [
        "return outputsOf(now, desiredState, record, known, origin);",
        'return outputsOf(now, desiredState, record, known, "read");',
      ],
    ],
    seed: 1,
    rule: "inputs and outputs disagree",
  },
  {
    name: "treat operations: null as nothing to wait for",
    file: "provider/endpoint/stabilize.ts",
    changes: [
      [
        "  const { clock, log } = context;\n  const { id } = ref;\n",
        "  if (vanished.length === 0) return change.endpoint;\n  const { clock, log } = context;\n  const { id } = ref;\n",
      ],
    ],
    seed: 3,
    rule: "success without the change",
  },
  {
    name: "send the pair of limits with stale values",
    file: "provider/endpoint/mapping.ts",
    changes: [
      [
        "  const now: ObservedSettings = { ...known, ...(live && observedSettings(live)) };\n",
        "  const now: ObservedSettings = known;\n",
      ],
    ],
    seed: 1,
    rule: "the other limit was not kept",
  },
  {
    name: "believe the answer to a DELETE without a check",
    file: "provider/endpoint/remove.ts",
    changes: [["  await confirm(removing, first);\n", ""]],
    seed: 1,
    rule: "lost from the state",
  },
  {
    name: "keep ownership per process",
    file: "provider/endpoint/ownership.ts",
    changes: [
      ["    for (const fact of facts) if (isFact(fact)) known.learn(fact);\n", "    void [facts, isFact, known];\n"],
    ],
    seed: 1,
    rule: "a resource has no compute",
  },
  {
    name: "see no compute in the way of a creation",
    file: "provider/endpoint/outlook.ts",
    changes: [["      refuseDuplicate(view, desiredState, project, listed);\n", ""]],
    seed: 1,
    rule: "silent preview of a creation that stops",
  },
  {
    name: "begin the next change at once, whoever waits",
    file: "provider/operations/mutation-queue.ts",
    changes: [["      if (pauseMs > 0) {\n", "      if (pauseMs > 3_600_000) {\n"]],
    seed: 1,
    rule: "kept waiting by another stack",
  },
];

// Bugs that tools of this kind have had, this one too: replacements in a copy of the sources.

export interface Bug {
  name: string;
  file: string;
  /** Exact text, which must be there once, and what takes its place. */
  changes: [was: string, is: string][];
  /** Found within 300 runs with this one. */
  seed: number;
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
  },
  {
    name: "save the id only after the wait",
    file: "provider/endpoint/create.ts",
    changes: [
      [
        'import { pendingOf } from "../operations/settle.js";',
        'import { pendingOf, settle } from "../operations/settle.js";',
      ],
      [
        '    const after = await settleOrKeep(process, target, made, deadline, existing ? undefined : "made");\n',
        "    if (inputs.waitForReady !== false) await settle(context, project, made.operations, deadline);\n    const after = made.endpoint;\n",
      ],
    ],
    seed: 1,
  },
  {
    name: "treat failed as done",
    file: "provider/operations/outcome.ts",
    changes: [['["failed", ["perhaps", "Error"]]', '["failed", ["done", "OK"]]']],
    seed: 1,
  },
  {
    name: "take over by name",
    file: "provider/endpoint/create.ts",
    changes: [
      [
        "    const existing = adopted(process, program, project, before) ?? retaken(process, program, before);\n",
        "    const name = inputs.name ?? program.autoName;\n    const existing = adopted(process, program, project, before) ?? before.find((one) => one.name === name);\n",
      ],
    ],
    seed: 1,
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
  },
  {
    name: "forget unfinished operations on refresh",
    file: "provider/endpoint/read.ts",
    changes: [["  if (unfinished.length > 0) outputs.unfinished = unfinished;\n", ""]],
    seed: 1,
  },
  {
    name: "outputs take drift from an update's read-back",
    file: "provider/endpoint/read-back.ts",
    changes: [
      [
        "return outputsOf(now, program, record, known, origin);",
        'return outputsOf(now, program, record, known, "read");',
      ],
    ],
    seed: 1,
  },
  {
    name: "operations: null taken for nothing to wait for",
    file: "provider/endpoint/rest.ts",
    changes: [
      [
        "  const { clock, say } = context;\n  const { id } = place;\n",
        "  if (vanished.length === 0) return change.endpoint;\n  const { clock, say } = context;\n  const { id } = place;\n",
      ],
    ],
    seed: 1,
  },
  {
    name: "the pair of limits sent with stale values",
    file: "provider/endpoint/mapping.ts",
    changes: [["  const now: Live = { ...known, ...(live && liveOf(live)) };\n", "  const now: Live = known;\n"]],
    seed: 1,
  },
  {
    name: "a delete believed without a look",
    file: "provider/endpoint/remove.ts",
    changes: [["  await confirm(removing, first);\n", ""]],
    seed: 1,
  },
  {
    name: "ownership known per process only",
    file: "provider/endpoint/ownership.ts",
    changes: [
      ["    for (const fact of facts) if (isFact(fact)) known.learn(fact);\n", "    void [facts, isFact, known];\n"],
    ],
    seed: 1,
  },
];

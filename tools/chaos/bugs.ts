// Six bugs, each of which some tool of this kind has had: replacements in a copy of the sources.

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
        "      return !isMutation(method) && (failure.status === 408 || failure.status >= 500);\n",
        '      if (method === "POST" && failure.status === 502) return true;\n      return !isMutation(method) && (failure.status === 408 || failure.status >= 500);\n',
      ],
    ],
    seed: 1,
  },
  {
    name: "save the id only after the wait",
    file: "provider/endpoint/create.ts",
    changes: [
      [
        'import { operationsOf, pendingOf } from "../operations/settle.js";',
        'import { operationsOf, pendingOf, settle } from "../operations/settle.js";',
      ],
      [
        "    await settleOrKeep(process, target, made, deadline);\n",
        "    if (inputs.waitForReady !== false) await settle(context, project, made.operations, deadline);\n",
      ],
      ["  settleOrKeep,\n", ""],
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
        "    const existing = adopted(process, program, project, before);\n",
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
        '    if (isKind(error, "service") && [403, 404].includes(error.answer.status)) return [];\n    throw projectProblem(error, project, id);\n',
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
];

// Approves changes that `onRestart: "refuse"` refuses. The digests come from a refusal or from a report.

import { isDigest } from "../../provider/rules/approval-list.js";
import { APPROVAL_OPTIONS, approvalHelp, lastDay } from "../approve/options.js";
import type { ApprovedChange } from "../approve/plan.js";
import { approve } from "../approve/write.js";
import { EXIT, parseArguments, UsageError } from "../arguments.js";
import type { Command, CommandEnvironment } from "../command.js";

const HELP = `Usage: compute-endpoint approve DIGEST[=NAME] ... --stack STACK [--file FILE] [--note TEXT]
       [--until DAY | --no-expiry] [--tidy]

Writes approvals into compute:approve of the stack's file. A refusal and the report print this command with its digests.
Everything else in the file stays as it is. Where only Pulumi.yaml has a list, its entries are copied: Pulumi does not merge
the two. Sends no requests.

  NAME           of the resource, as a comment beside the entry
  --stack STACK  whose file it is: Pulumi.STACK.yaml of the program in this folder
  --file FILE    another file, for those who give one to Pulumi with --config-file
  --note TEXT    a comment beside the entries, after the NAME
${approvalHelp(15)}
  --tidy         remove entries that approve nothing any more: those that have ended, and those with 12 digits
  --help

Exit codes: 0 done, 1 the file can't be written, 2 bad usage, or a file that can't be edited in place; nothing was written then.
`;

export const approveCommand = (environment: CommandEnvironment): Command => ({
  summary: "approve changes that a preview refused or a report names: writes them into the stack's file",
  async run(args, io) {
    const { values, positionals } = parseArguments(args, {
      ...APPROVAL_OPTIONS,
      tidy: { type: "boolean" },
      stack: { type: "string" },
      file: { type: "string" },
      note: { type: "string" },
    });
    if (values.help) {
      io.out.write(HELP);
      return EXIT.ok;
    }
    if (positionals.length === 0 && !values.tidy) throw new UsageError("which change? give its DIGEST");
    const note = values.note === undefined ? undefined : lineOf(values.note, "--note");
    const nowMs = environment.nowMs();
    const until = lastDay(values, nowMs);
    const { lines } = await approve({
      digests: positionals.map((word) => changeOf(word, note)),
      ...(until === undefined ? {} : { until }),
      tidy: values.tidy === true,
      ...(values.stack === undefined ? {} : { stack: values.stack }),
      ...(values.file === undefined ? {} : { file: values.file }),
      cwd: environment.cwd(),
      nowMs,
    });
    io.out.write(`${lines.join("\n")}\n`);
    return EXIT.ok;
  },
});

function changeOf(word: string, note: string | undefined): ApprovedChange {
  const [, digest = word, text] = /^([^=]*)=(.*)$/s.exec(word) ?? [];
  if (!isDigest(digest)) throw new UsageError(`${JSON.stringify(digest)} is not a digest: a digest has 32 hex digits`);
  if (text === undefined) return { digest, ...(note === undefined ? {} : { what: note }) };
  const name = lineOf(text, "NAME");
  return note === undefined ? { digest, name } : { digest, what: `${name}: ${note}` };
}

/** A comment in the file ends with its line. */
function lineOf(text: string, option: string): string {
  const line = text.trim();
  if (line === "" || /[\p{C}\u2028\u2029]/u.test(line)) throw new UsageError(`${option} must be a text of one line`);
  return line;
}

// Workflow commands: annotations at the program's lines.

import { escapeCommands } from "../escape.js";
import { approvalText } from "./approval-words.js";
import { withoutQuoteMarks } from "./clean.js";
import { failsReport } from "./fail-on.js";
import { shownChanges } from "./format.js";
import { IMPACT_WORDS } from "./impact-words.js";
import type { Finding, Report } from "./types.js";
import { isIncomplete, sentenceOf } from "./verdict.js";

/** The most annotations of each kind that GitHub shows for a step. */
const MOST = 10;

interface Annotation {
  kind: "error" | "warning";
  title: string;
  message: string;
  position?: Finding["position"];
}

export function annotations(report: Report): string {
  const { stacks, unusable, failOn } = report;
  const broken: Annotation[] = [
    ...unusable.map((message) => ({ kind: "error" as const, title: "No report", message: withoutQuoteMarks(message) })),
    ...stacks.flatMap(({ project, stack, incomplete, errors }) => {
      if (incomplete.length === 0) return [];
      const message = [...incomplete, ...errors].map(withoutQuoteMarks).join("; ");
      return [{ kind: "error" as const, title: `The preview of ${project}/${stack} is incomplete`, message }];
    }),
  ];
  const perCompute = stacks.flatMap(({ findings, project, stack }) =>
    findings
      .filter(({ impact, upFails }) => impact !== "none" || upFails !== undefined)
      .map((finding) => annotationOf(finding, `${project}/${stack}`, failsReport(finding, failOn))),
  );
  const all = [...broken, ...perCompute];
  const lines = (["error", "warning"] as const).flatMap((kind) =>
    limitAnnotations(all.filter((one) => one.kind === kind)),
  );
  return [...lines.map(command), escapeCommands(sentenceOf(stacks, isIncomplete(report), failOn)), ""].join("\n");
}

/** As many annotations as GitHub shows. If there are more, the last one counts the rest. */
function limitAnnotations(some: Annotation[]): Annotation[] {
  if (some.length <= MOST) return some;
  const rest = some.length - MOST + 1;
  const { kind } = some[0]!;
  const message = `GitHub shows ten annotations of a step: ${rest} more are in the job's summary`;
  return [...some.slice(0, MOST - 1), { kind, title: `And ${rest} more`, message }];
}

function annotationOf(finding: Finding, where: string, isFailure: boolean): Annotation {
  const { name, impact, what, effect, position, seen, upFails } = finding;
  const sentence = upFails?.why ?? effect;
  const parts = [
    shownChanges(finding, (value) => value).join(", "),
    sentence ? withoutQuoteMarks(sentence) : "",
    seen ? `${seen.state} at the preview, ${seen.at}` : "",
    approvalText(finding) ?? "",
  ];
  return {
    kind: isFailure || upFails ? "error" : "warning",
    title: `${where}: compute ${name} ${upFails ? "makes `up` fail" : impact === "new-host" ? IMPACT_WORDS[impact].one : what}`,
    message: parts.filter(Boolean).join("; ") || what,
    ...(position ? { position } : {}),
  };
}

function command({ kind, title, message, position }: Annotation): string {
  const location = position
    ? [
        `file=${escapeProperty(position.file)}`,
        `line=${position.line}`,
        ...(position.column === undefined ? [] : [`col=${position.column}`]),
      ]
    : [];
  return `::${kind} ${[...location, `title=${escapeProperty(title)}`].join(",")}::${escapeData(message)}`;
}

const escapeData = (text: string): string =>
  escapeCommands(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const escapeProperty = (text: string): string => escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

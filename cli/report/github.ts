// Workflow commands: annotations at the program's lines.

import { shortDigest } from "../../provider/rules/approval.js";
import { inert } from "../visible.js";
import { plain } from "./clean.js";
import type { Finding, Report } from "./types.js";
import { findingsIn, sentenceOf, stops } from "./verdict.js";
import { changesOf } from "./words.js";

/** Of each kind GitHub shows ten in a step. */
const MOST = 10;

interface Annotation {
  kind: "error" | "warning";
  title: string;
  message: string;
  position?: Finding["position"];
}

export function annotations(report: Report): string {
  const { stacks, unusable, failOn } = report;
  const isPartial = unusable.length > 0 || stacks.some(({ incomplete }) => incomplete.length > 0);
  const broken: Annotation[] = [
    ...unusable.map((message) => ({ kind: "error" as const, title: "No report", message: plain(message) })),
    ...stacks.flatMap(({ project, stack, incomplete, errors }) => {
      if (incomplete.length === 0) return [];
      const message = [...incomplete, ...errors].map(plain).join("; ");
      return [{ kind: "error" as const, title: `The preview of ${project}/${stack} is incomplete`, message }];
    }),
  ];
  const felt = stacks.flatMap(({ findings, project, stack }) =>
    findings
      .filter(({ impact }) => impact !== "none")
      .map((finding) => annotationOf(finding, `${project}/${stack}`, stops(finding, failOn))),
  );
  const all = [...broken, ...felt];
  const lines = (["error", "warning"] as const).flatMap((kind) => few(all.filter((one) => one.kind === kind)));
  return [...lines.map(command), inert(sentenceOf(findingsIn(stacks), isPartial, failOn)), ""].join("\n");
}

/** The last one that GitHub would show speaks for the rest. */
function few(some: Annotation[]): Annotation[] {
  if (some.length <= MOST) return some;
  const rest = some.length - MOST + 1;
  const { kind } = some[0]!;
  const message = `GitHub shows ten annotations of a step: ${rest} more are in the job's summary`;
  return [...some.slice(0, MOST - 1), { kind, title: `And ${rest} more`, message }];
}

function annotationOf(finding: Finding, where: string, fails: boolean): Annotation {
  const { name, what, effect, approval, position } = finding;
  const parts = [
    changesOf(finding, (value) => value).join(", "),
    effect ? plain(effect) : "",
    approval?.digest === undefined
      ? ""
      : `${approval.approved ? "approved" : "not approved"} (${shortDigest(approval.digest)})`,
  ];
  return {
    kind: fails ? "error" : "warning",
    title: `${where}: compute ${name} ${what === "new host" ? "gets a new host" : what}`,
    message: parts.filter(Boolean).join("; ") || what,
    ...(position ? { position } : {}),
  };
}

function command({ kind, title, message, position }: Annotation): string {
  const place = position
    ? [
        `file=${property(position.file)}`,
        `line=${position.line}`,
        ...(position.column === undefined ? [] : [`col=${position.column}`]),
      ]
    : [];
  return `::${kind} ${[...place, `title=${property(title)}`].join(",")}::${data(message)}`;
}

const data = (text: string): string =>
  inert(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

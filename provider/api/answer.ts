import type { ServiceAnswer } from "../errors.js";
import { WireProblem } from "../wire/problem.js";
import { oneLineOf, type Redactor } from "./redact.js";
import { retryAfterMs } from "./retry-after.js";
import type { TransportAnswer } from "./transport.js";

/** Characters of a message that are shown: the first kilobyte tells the reason, the rest of a page does not. */
const SHOWN = 1024;

export interface Asked {
  method: string;
  /** Below the base URL, without the query. */
  path: string;
}

/** What an answer that is no success (or can't be read) says, fit to be shown: without key and secrets, then cut. */
export function describe(
  asked: Asked,
  raw: TransportAnswer,
  { redactor, host, wallMs }: { redactor: Redactor; host: string; wallMs: number },
): ServiceAnswer {
  const { status, headers, text } = raw;
  // Each text before it is cut: half a secret at its end would not be found.
  const clean = (foreign: string) => redactor.redactForeign(foreign);
  const problem = problemOf(text);
  const requestId = problem?.request_id ?? headers["x-neon-ret-request-id"];
  return {
    ...asked,
    status,
    code: clean(problem?.code ?? "").slice(0, 100),
    message: shorten(problem?.message ? clean(problem.message) : beginningOf(raw, host, clean)),
    requestId: requestId ? clean(requestId).slice(0, 100) : undefined,
    retryAfterMs: retryAfterMs(headers["retry-after"], theirs(headers["date"]) ?? wallMs),
  };
}

/** When they say they answered: a date of theirs is a pause by their clock, which may be minutes from ours. */
const theirs = (date: string | undefined): number | undefined => {
  const at = Date.parse(date ?? "");
  return Number.isNaN(at) ? undefined : at;
};

/** The parsed body, or undefined for what is not JSON. An empty object for an empty body. */
export function parse(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problemOf(text: string) {
  const parsed = WireProblem.safeParse(parse(text));
  return parsed.success ? parsed.data : undefined;
}

/** Whether the body has the form of the API's errors. */
export const isProblem = (text: string): boolean => problemOf(text)?.message !== undefined;

/** The beginning of a body that is no error of the API, named for what it is and where it comes from. */
function beginningOf(
  { status, headers, text }: TransportAnswer,
  host: string,
  clean: (foreign: string) => string,
): string {
  if (status >= 300 && status < 400) {
    const target = headers["location"] ? ` to ${clean(headers["location"])}` : "";
    return `a redirect${target}, which is not followed because the key would go along; check the service's URL`;
  }
  if (text.trim() === "") return "an empty body";
  if (/^\s*(<!doctype|<html|<\?xml|<[a-z]+[\s>])/i.test(text))
    return `an HTML page from ${host}: ${clean(textOf(clean(text))) || "without text"}`;
  const kind = parse(text) === undefined ? "no JSON" : "JSON that is not the API's";
  return `${kind} from ${host}: ${clean(text)}`;
}

/** What a reader would see of a page: its title and text, not its styles and scripts. */
function textOf(html: string): string {
  const begin = html.slice(0, 16 * SHOWN);
  return oneLineOf(
    begin
      .replace(
        /<(script|style|head)\b[^>]*>[\s\S]*?(<\/\1\s*>|$)/gi,
        (block) => /<title[^>]*>[^<]*/i.exec(block)?.[0] ?? "",
      )
      .replace(/<[^>]*(>|$)/g, " ")
      .replace(/&nbsp;/g, " "),
  );
}

const shorten = (line: string): string => (line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line);

import type { ServiceAnswer } from "../errors.js";
import { WireProblem } from "../wire/problem.js";
import { oneLineOf, type Redactor } from "./redact.js";
import { retryAfterMs } from "./retry.js";
import type { TransportAnswer } from "./transport.js";

/** Characters of a message that are shown. The first kilobyte of a page tells the reason; the rest does not. */
const SHOWN = 1024;

export interface RequestLine {
  method: string;
  /** Below the base URL, without the query. */
  path: string;
}

/**
 * An answer that is not a success, or can't be read, as it may be shown: the key and secrets are removed first, then the text is
 * shortened.
 */
export function serviceAnswerOf(
  asked: RequestLine,
  raw: TransportAnswer,
  { redactor, host, wallMs }: { redactor: Redactor; host: string; wallMs: number },
): ServiceAnswer {
  const { status, headers, text } = raw;
  // Redact each text before cutting it: the redactor does not find half a secret.
  const clean = (foreign: string) => redactor.redactExternal(foreign);
  const problem = problemOf(text);
  const requestId = problem?.request_id ?? headers["x-neon-ret-request-id"];
  return {
    ...asked,
    status,
    code: clean(problem?.code ?? "").slice(0, 100),
    message: shorten(problem?.message ? clean(problem.message) : describeBody(raw, host, clean)),
    requestId: requestId ? clean(requestId).slice(0, 100) : undefined,
    retryAfterMs: retryAfterMs(headers["retry-after"], serviceTimeMs(headers["date"]) ?? wallMs),
  };
}

/**
 * The service's time, from the `Date` header. A date in `Retry-After` is relative to it, because the service's clock may differ
 * from ours by minutes.
 */
const serviceTimeMs = (date: string | undefined): number | undefined => {
  const at = Date.parse(date ?? "");
  return Number.isNaN(at) ? undefined : at;
};

/** The parsed body: undefined if it is not JSON, and an empty object where it is empty. */
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

/** Describes a body that is not an error of the API: what kind of body the host sent, and how it begins. */
function describeBody(
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
  const kind = parse(text) === undefined ? "text that is not JSON" : "JSON that is not from the API";
  return `${kind} from ${host}: ${clean(text)}`;
}

/** The title and text of a page, without its styles and scripts. */
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

// What the hook says at a resource. The texts of the changes themselves are the rules'.

import { comparedWith } from "../provider/rules/compared.js";
import { type ImpactNotice, withNotice, withoutFirstWord } from "../provider/rules/notice.js";
import { differingPaths, valuesByPath } from "../provider/rules/paths.js";
import { impactOf, sentence, type Verdict } from "../provider/rules/restart.js";
import type { Live, Wish } from "../provider/rules/settings.js";
import type { Asked } from "../provider/rules/wish.js";
import { liveIn, type Props, wishIn } from "./plain.js";

/** A change as the hook sees it. */
export interface Change {
  live: Live;
  wish: Wish;
  verdict: Verdict;
}

/**
 * The worst of what the old outputs tell and of what check said of the old inputs. Only check can compare assets. After a step
 * that failed the old inputs are of the step before, and what is left has a warning of its own.
 */
export function changeOf(
  { inputs, outputs: olds }: { inputs: Props; outputs: Props },
  news: Props,
  secrets: ReadonlySet<string>,
  notice: ImpactNotice | undefined,
  askAgain: boolean,
): Change {
  const again = askAgain ? notTakenOf(olds) : [];
  const live = isUnfinished(olds) ? liveIn(olds) : comparedWith(inputs as Asked, olds as Asked, again);
  const wish = wishIn(news);
  const own = impactOf(live, wish, { secrets, asSize: news["size"] !== undefined, showsStrings: true });
  return { live, wish, verdict: isUnfinished(olds) ? own : withNotice(own, notice) };
}

const RECONNECT = "Clients should reconnect by themselves.";
const DOES: Record<string, string> = { "may-restart": "may restart", restart: "restarts", stop: "stops" };

export function warningOf(id: string, verdict: Verdict, now: string | undefined): string {
  const mayReplace = verdict.reasons.some(({ property }) => property === "projectId" || property === "type");
  const what = mayReplace ? "may replace" : (DOES[verdict.impact] ?? "affects");
  const live = now ? ` Right now it is ${now}.` : "";
  return `this change ${what} compute ${id}: ${sentence(verdict)}.${live} ${RECONNECT}`;
}

/** An adoption, or a replacement: only the latter may have another project or type. */
export function warningOfCreation({ impact, properties }: ImpactNotice, restart: unknown): string {
  const text = withoutFirstWord(restart);
  const mayReplace = properties.includes("projectId") || properties.includes("type");
  if (impact === "may-restart" && !mayReplace) return `this creation ${text}. ${RECONNECT}`;
  return `this change ${impact === "new-host" ? "replaces" : "may replace"} the compute: ${text}`;
}

/** The state can't tell what became of a change that failed: the update finds out, and finishes it. */
export function warningOfRest(id: string): string {
  return `an earlier change of compute ${id} did not end well: this update looks what became of it and sends again what is missing; then the compute may restart, and open connections drop. ${RECONNECT}`;
}

export const isUnfinished = ({ unfinished }: Props): boolean => Array.isArray(unfinished) && unfinished.length > 0;

const notTakenOf = ({ notTaken }: Props): string[] => (Array.isArray(notTaken) ? notTaken.map(String) : []);

/** What the diff shows without its reason, or not at all. */
export function surprisesIn(olds: Props, news: Props, { wish, live }: Change): string[] {
  const again = differingPaths(valuesByPath(wish), valuesByPath(live));
  const lines = notTakenOf(olds)
    .filter((path) => again.includes(path))
    .map((path) => `${path} is asked for again: the service did not take it the last time`);
  const before = olds["onDelete"];
  // What was taken over is released where nothing else is said, what was made is deleted.
  const anyway = olds["adopted"] === true ? "release" : "delete";
  if (before !== undefined && before !== anyway && news["onDelete"] === undefined) {
    const changes =
      anyway === "release"
        ? "which was taken over, is no longer deleted with the resource: it is released"
        : "which was made for the resource, is no longer released with it: it is deleted";
    lines.push(`without onDelete this compute, ${changes}. To keep it as it was, say onDelete: "${before}"`);
  }
  return lines;
}

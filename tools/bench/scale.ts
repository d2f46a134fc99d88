/** Estimates for sizes that are too large to measure: straight lines through the figures of the two largest N. */
import { REQUESTS_PER_MINUTE } from "../../provider/api/rate-limit";
import type { Result } from "./page";
import type { ProviderName } from "./programs";
import type { Row } from "./row";

/** Numbers of computes to estimate for. */
const SIZES = [100, 10_000, 1_000_000];
/** Computes in each stack, if they are split into stacks of one project. */
const EACH = 500;

const COLUMNS = [
  "computes",
  "one stack: preview",
  "one stack: state",
  `stacks of ${EACH}`,
  "one of them: preview",
  "first up of all: requests",
  "these at the rate limit",
];

/** The figures in seconds that several N have, and their names in the table. */
const RUNS = [
  ["preview: wall time ÷ floor", "a preview"],
  ["up: wall time ÷ floor", "an `up` without a change"],
  ["refresh: wall time ÷ floor", "a `refresh`"],
] as const;

const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;

/** The cost of one more compute: for the engine alone, and with this provider. */
export function costsTable({ rows }: Result): string {
  const of = (name: string, provider: ProviderName) => `${(lineOf(rows, name, provider).slope * 1000).toFixed(1)} ms`;
  const runs = RUNS.map(([name, run]) => [run, of(name, "floor"), of(name, "ours")]);
  const state = (["floor", "ours"] as const).map((who) => largest(rows, "state a compute ÷ naive", who).value);
  const bytes = state.map((one) => `${Math.round(one).toLocaleString("en")} bytes`);
  const head = ["one more compute adds to", "the engine alone", "with this provider"];
  return [line(head), line(["---", "---:", "---:"]), ...runs.map(line), line(["the state", ...bytes])].join("\n");
}

/** What many computes come to, in one stack and in several. */
export function scaleTable({ rows }: Result): string {
  const { at: preview } = lineOf(rows, "preview: wall time ÷ floor", "ours");
  const bytes = largest(rows, "state a compute ÷ naive", "ours").value;
  const first = largest(rows, "first up: requests", "ours");
  const requests = first.value / first.n;
  const cells = SIZES.map((count) => {
    const stacks = Math.ceil(count / EACH);
    const sent = Math.ceil(count * requests);
    return [
      count.toLocaleString("en"),
      time(preview(count)),
      size(bytes * count),
      stacks.toLocaleString("en"),
      time(preview(Math.min(count, EACH))),
      sent.toLocaleString("en"),
      time((sent / REQUESTS_PER_MINUTE) * 60),
    ];
  });
  return [line(COLUMNS), line(COLUMNS.map(() => "---:")), ...cells.map(line)].join("\n");
}

interface Point {
  n: number;
  value: number;
}

/** What was measured, the largest N first. */
function pointsOf(rows: readonly Row[], name: string, provider: ProviderName): Point[] {
  const all = rows.filter(({ figure }) => figure === name);
  const points = all.map(({ n, medians }) => {
    const value = medians[provider];
    if (n === undefined || value === undefined)
      throw new Error(`the result has no number of ${provider} for "${name}"`);
    return { n, value };
  });
  return points.sort((a, b) => b.n - a.n);
}

function largest(rows: readonly Row[], name: string, provider: ProviderName): Point {
  const [point] = pointsOf(rows, name, provider);
  if (!point) throw new Error(`the result has no figure "${name}"`);
  return point;
}

/** A line through the two largest N. `slope`: the seconds for one more compute. `at`: the seconds at any N. */
function lineOf(rows: readonly Row[], name: string, provider: ProviderName) {
  const [large, small] = pointsOf(rows, name, provider);
  if (!large || !small) throw new Error(`the result has not two numbers of computes for "${name}"`);
  const slope = (large.value - small.value) / (large.n - small.n);
  return { slope, at: (n: number) => large.value + slope * (n - large.n) };
}

function time(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return seconds < 48 * 3600 ? `${(seconds / 3600).toFixed(1)} h` : `${(seconds / 86_400).toFixed(1)} days`;
}

const size = (bytes: number): string =>
  bytes < 1e6
    ? `${Math.round(bytes / 1e3)} kB`
    : bytes < 1e9
      ? `${Math.round(bytes / 1e6)} MB`
      : `${(bytes / 1e9).toFixed(1)} GB`;

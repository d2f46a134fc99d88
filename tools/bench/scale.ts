/** What a run costs at sizes that no bench can make: the figures of the largest N, carried on in a straight line. */
import type { Result } from "./page";
import type { Row } from "./row";

/** Computes, and in how many stacks of one project each they are when they are split. */
const SIZES = [100, 10_000, 1_000_000];
const EACH = 500;
const REQUESTS_A_MINUTE = 700;

const COLUMNS = [
  "computes",
  "one stack: preview",
  "one stack: state",
  `stacks of ${EACH}`,
  "one of them: preview",
  "first up of all: requests",
  "of which the rate takes",
];

export function scaleTable({ rows }: Result): string {
  const preview = lineOf(rows, "preview: wall time ÷ floor");
  const bytes = figure(rows, "state a compute ÷ naive", "ours");
  const requests = figure(rows, "first up: requests", "ours") / (largest(rows, "first up: requests").n ?? Number.NaN);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
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
      time((sent / REQUESTS_A_MINUTE) * 60),
    ];
  });
  return [line(COLUMNS), line(COLUMNS.map(() => "---:")), ...cells.map(line)].join("\n");
}

function largest(rows: readonly Row[], name: string): Row {
  const [row] = rows.filter((one) => one.figure === name).sort((a, b) => (b.n ?? 0) - (a.n ?? 0));
  if (!row) throw new Error(`the result has no figure "${name}"`);
  return row;
}

const figure = (rows: readonly Row[], name: string, provider: "ours"): number =>
  largest(rows, name).medians[provider] ?? Number.NaN;

/** Seconds at any N, by the two largest N that were measured. */
function lineOf(rows: readonly Row[], name: string): (n: number) => number {
  const points = rows.filter((one) => one.figure === name).sort((a, b) => (a.n ?? 0) - (b.n ?? 0));
  const [small, large] = points.slice(-2).map(({ n = Number.NaN, medians }) => ({ n, s: medians.ours ?? Number.NaN }));
  if (!small || !large) throw new Error(`the result has not two of "${name}"`);
  const slope = (large.s - small.s) / (large.n - small.n);
  return (n) => large.s + slope * (n - large.n);
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

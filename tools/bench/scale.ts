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
  const bytes = largest(rows, "state a compute ÷ naive").ours;
  const { ours, n } = largest(rows, "first up: requests");
  const requests = ours / n;
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

interface Point {
  n: number;
  ours: number;
}

/** What was measured of ours, the largest N first. */
function pointsOf(rows: readonly Row[], name: string): Point[] {
  const all = rows.filter(({ figure }) => figure === name);
  const points = all.map(({ n, medians }) => {
    const { ours } = medians;
    if (n === undefined || ours === undefined) throw new Error(`the result has no number of ours for "${name}"`);
    return { n, ours };
  });
  return points.sort((a, b) => b.n - a.n);
}

function largest(rows: readonly Row[], name: string): Point {
  const [point] = pointsOf(rows, name);
  if (!point) throw new Error(`the result has no figure "${name}"`);
  return point;
}

/** Seconds at any N, by the two largest N that were measured. */
function lineOf(rows: readonly Row[], name: string): (n: number) => number {
  const [large, small] = pointsOf(rows, name);
  if (!large || !small) throw new Error(`the result has not two numbers of computes for "${name}"`);
  const slope = (large.ours - small.ours) / (large.n - small.n);
  return (n) => large.ours + slope * (n - large.n);
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

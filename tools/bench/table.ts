/** The figures as a table for a terminal. */
import type { Row, Unit } from "./row";

const HEAD = ["figure", "N", "floor", "naive", "ours", "result", "target", ""] as const;

const DIGITS: Record<Unit, number> = { ratio: 2, requests: 0, s: 2, ms: 0, bytes: 0, MB: 1, "%": 1, polls: 1 };
const MARK: Record<Unit, string> = {
  ratio: " ×",
  requests: " req",
  s: " s",
  ms: " ms",
  bytes: " B",
  MB: " MB",
  "%": " %",
  polls: " polls",
};

export function shown(value: number | undefined, unit: Unit): string {
  if (value === undefined || !Number.isFinite(value)) return "–";
  return `${value.toFixed(DIGITS[unit])}${MARK[unit]}`;
}

const cellsOf = ({ figure, n, medians, sampled, value, unit, most, verdict }: Row): string[] => [
  figure,
  n === undefined ? "" : String(n),
  shown(medians.floor, sampled),
  shown(medians.naive, sampled),
  shown(medians.ours, sampled),
  shown(value, unit),
  most === undefined ? "" : `≤ ${shown(most, unit)}`,
  verdict ?? "",
];

/** The lines of the table. A note stands below the last figure that shares it. */
export function tableOf(rows: readonly Row[]): string[] {
  const cells = rows.map(cellsOf);
  const widths = HEAD.map((head, column) => Math.max(head.length, ...cells.map((each) => (each[column] ?? "").length)));
  const line = (each: readonly string[]) =>
    each
      .map((cell, column) =>
        column === 0 || column === HEAD.length - 1
          ? cell.padEnd(widths[column] ?? 0)
          : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd();
  const lines = [line(HEAD), widths.map((width) => "─".repeat(width)).join("  ")];
  for (const [index, row] of rows.entries()) {
    const before = rows[index - 1];
    if (before && before.scenario !== row.scenario) lines.push("");
    lines.push(line(cells[index] ?? []));
    if (row.note && rows[index + 1]?.note !== row.note) lines.push(`    ${row.note}`);
  }
  return lines;
}

/** How it ended, in one line. */
export function summaryOf(rows: readonly Row[]): string {
  const count = (wanted: Row["verdict"]) => rows.filter(({ verdict }) => verdict === wanted).length;
  const unmeasured = count("not measured");
  const rest = unmeasured > 0 ? `, ${unmeasured} not measured` : "";
  return `${count("met")} targets met, ${count("not met")} not met${rest}`;
}

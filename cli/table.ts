import { escapeCommands, escapedJson, escapeInvisible } from "./escape.js";
import type { Io } from "./io.js";

export type Colour = "green" | "yellow" | "red" | "dim";

const CODES: Record<Colour, number> = { green: 32, yellow: 33, red: 31, dim: 2 };

export interface Cell {
  text: string;
  colour?: Colour;
}

/** "idle", or "idle → active" while the compute changes. */
export const stateText = (state: string, next: string | undefined): string =>
  next === undefined || next === state ? state : `${state} → ${next}`;

export const coloured = (text: string, colour: Colour): string => `\u001b[${CODES[colour]}m${text}\u001b[0m`;

/** Whether to use colours: on a terminal that has them, unless NO_COLOR is set. */
export const isColoured = ({ out, env }: Pick<Io, "out" | "env">): boolean =>
  out.isTTY && !env["NO_COLOR"] && env["TERM"] !== "dumb";

/**
 * On a terminal, a table for people: aligned columns, colours, and no column that is empty in all rows. Elsewhere, lines for
 * programs: all columns, tabs between the values.
 * @param head the headings; undefined if the caller wants none
 */
export function table(
  io: Pick<Io, "out" | "env">,
  head: readonly string[] | undefined,
  all: readonly (readonly Cell[])[],
): string {
  const rows = all.map((row) => row.map((cell) => ({ ...cell, text: inOneLine(cell.text) })));
  const headings: Cell[][] = head ? [head.map((text) => ({ text, colour: "dim" }))] : [];
  if (!io.out.isTTY) {
    const lines = [...headings, ...rows].map((row) => `${row.map(({ text }) => text).join("\t")}\n`);
    return escapeCommands(lines.join(""));
  }
  const used = (rows[0] ?? []).flatMap((_, at) => (rows.some((row) => row[at]!.text !== "") ? [at] : []));
  const shown: Cell[][] = [
    ...headings.map((row) => used.map((at) => row[at]!)),
    ...rows.map((row) => used.map((at) => row[at]!)),
  ];
  const widths = used.map((_, at) => Math.max(...shown.map((row) => [...row[at]!.text].length)));
  const usesColours = isColoured(io);
  const padded = ({ text, colour }: Cell, width: number) => {
    const padding = " ".repeat(width - [...text].length);
    return (usesColours && colour && text !== "" ? coloured(text, colour) : text) + padding;
  };
  return escapeCommands(
    shown
      .map(
        (row) =>
          `${row
            .map((cell, at) => padded(cell, widths[at]!))
            .join("  ")
            .trimEnd()}\n`,
      )
      .join(""),
  );
}

const inOneLine = (text: string): string => escapeInvisible(text.replace(/^ +| +$/g, ""));

export const json = escapedJson;

import type { Io } from "./io.js";
import { inert, inertJson, visible } from "./visible.js";

export type Colour = "green" | "yellow" | "red" | "dim";

const CODES: Record<Colour, number> = { green: 32, yellow: 33, red: 31, dim: 2 };

export interface Cell {
  text: string;
  colour?: Colour;
}

/** Whether colours are wanted: on a terminal, and not where NO_COLOR is set or the terminal has none. */
export const isColoured = ({ out, env }: Pick<Io, "out" | "env">): boolean =>
  out.isTTY && !env["NO_COLOR"] && env["TERM"] !== "dumb";

/**
 * Rows for people on a terminal: a head, aligned columns, colours. Elsewhere for programs: no head, values between tabs.
 * A column that is empty in all rows is left out on a terminal, and kept elsewhere.
 */
export function table(io: Pick<Io, "out" | "env">, head: readonly string[], all: readonly (readonly Cell[])[]): string {
  const rows = all.map((row) => row.map((cell) => ({ ...cell, text: inOneLine(cell.text) })));
  if (!io.out.isTTY) return inert(rows.map((row) => `${row.map(({ text }) => text).join("\t")}\n`).join(""));
  const used = head.flatMap((_, at) => (rows.some((row) => row[at]!.text !== "") ? [at] : []));
  const shown: Cell[][] = [
    used.map((at) => ({ text: head[at]!, colour: "dim" })),
    ...rows.map((row) => used.map((at) => row[at]!)),
  ];
  const widths = used.map((_, at) => Math.max(...shown.map((row) => [...row[at]!.text].length)));
  const coloured = isColoured(io);
  const padded = ({ text, colour }: Cell, width: number) => {
    const padding = " ".repeat(width - [...text].length);
    return coloured && colour && text !== "" ? `\u001b[${CODES[colour]}m${text}\u001b[0m${padding}` : text + padding;
  };
  return inert(
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

/** Names and errors come from programs and from the service: characters that are not seen become escapes. */
const inOneLine = (text: string): string => visible(text.replace(/^ +| +$/g, ""));

export const json = inertJson;

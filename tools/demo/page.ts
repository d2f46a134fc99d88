/** What the demo itself writes between the outputs of commands. */

const WIDTH = 100;
const NARROWEST = 40;
const CODES = { bold: 1, red: 31, green: 32, cyan: 36 } as const;

export interface Output {
  write(text: string): unknown;
  columns?: number;
}

export class Page {
  private last = "\n";

  constructor(
    private readonly output: Output,
    private readonly colours: boolean,
  ) {}

  heading(text: string): void {
    this.line("");
    this.line(
      this.in("cyan", this.in("bold", `━━━ ${text} ${"━".repeat(Math.max(3, this.width() - text.length - 5))}`)),
    );
    this.line("");
  }

  /** Prose, wrapped. */
  text(text: string): void {
    for (const line of wrap(text, this.width())) this.line(line);
  }

  /** A command, as one would type it. */
  command(typed: string): void {
    this.line("");
    this.line(this.in("bold", `$ ${typed}`));
  }

  /** Lines of a program; each begins with the sign of a diff, or a blank. */
  code(lines: readonly string[]): void {
    this.line("");
    for (const line of lines) {
      const colour = line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : undefined;
      this.line(colour ? this.in(colour, `  ${line}`) : `  ${line}`.trimEnd());
    }
  }

  /** A remark of the demo on the command's outcome. */
  note(text: string): void {
    const [first = "", ...more] = wrap(text, this.width() - 2);
    this.line(this.in("cyan", `→ ${first}`));
    for (const line of more) this.line(this.in("cyan", `  ${line}`));
  }

  line(text: string): void {
    this.raw(`${this.last === "\n" ? "" : "\n"}${text}\n`);
  }

  /** What a command prints, as it is. */
  raw(chunk: string): void {
    if (chunk === "") return;
    this.last = chunk.at(-1) ?? this.last;
    this.output.write(chunk);
  }

  private width = () => Math.min(Math.max(this.output.columns || WIDTH, NARROWEST), WIDTH); // 0 where it is not known

  private in = (name: keyof typeof CODES, text: string) =>
    this.colours && text !== "" ? `\u001b[${CODES[name]}m${text}\u001b[0m` : text;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

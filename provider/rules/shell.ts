/** A word of a command line, quoted where a shell would not take it as it is. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Whether a file or a stack has a name that is the same in each shell. */
export const isPlainName = (name: string): boolean => /^[\w./][\w./-]*$/.test(name);

/** A command of Pulumi for this stack. Without `--stack` it acts on the selected stack, which may be another one. */
export const pulumiCommand = (name: string, stack: string | undefined, ...rest: readonly string[]): string =>
  ["pulumi", name, ...(stack === undefined ? [] : ["--stack", shellWord(stack)]), ...rest].join(" ");

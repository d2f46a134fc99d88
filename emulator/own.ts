/** Names like `constructor` come in from outside: only what was put into the table is in it. */
export const own = <T>(rows: Record<string, T>, name: string | undefined): T | undefined =>
  name !== undefined && Object.hasOwn(rows, name) ? rows[name] : undefined;

/** The row of this name. Requests may send names such as `constructor`, so only rows that were put into the table count. */
export const own = <T>(rows: Record<string, T>, name: string | undefined): T | undefined =>
  name !== undefined && Object.hasOwn(rows, name) ? rows[name] : undefined;

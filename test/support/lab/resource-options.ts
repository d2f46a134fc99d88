// Resource options as the engine carries them out: what the program says of a resource beside its arguments.

export type Props = Record<string, unknown>;

export type Timeouts = { create?: string; update?: string; delete?: string };

export interface Options {
  /** Paths such as `size`, `settings.pgSettings.work_mem` or `settings.pgSettings["auto.log"]`; `*` is everything. */
  ignoreChanges?: readonly string[];
  replaceOnChanges?: readonly string[];
  retainOnDelete?: boolean;
  /** Whether the command or a taint asks for a replacement, whatever diff says. */
  replaces?: boolean;
  /** The `Provider` instance on which the resource stands. @default the stack's own account */
  provider?: string;
  /** From `transforms` and `transformations`: the engine registers these, and the constructor has never seen them. */
  byRule?: {
    replaceOnChanges?: readonly string[];
    customTimeouts?: Timeouts;
  };
}

/** Each part of a property path: `a.b` or `a["with.dot"]`. */
export const partsOf = (path: string): string[] =>
  [...path.matchAll(/\["([^"]*)"\]|([^.[\]]+)/g)].map(([, quoted, plain]) => quoted ?? plain!);

/**
 * The new inputs with the old value of each ignored property, as the engine makes them before it calls check. A path that
 * leads through an object that only one side has is left as it is.
 */
export function withIgnored(news: Props, olds: Props, paths: readonly string[] = []): Props {
  if (paths.length === 0) return news;
  const copy = structuredClone(news);
  for (const path of paths) reset(copy, olds, partsOf(path));
  return copy;
}

function reset(next: Props, old: Props, [part, ...rest]: string[]): void {
  if (part === undefined) return;
  if (part === "*" && rest.length === 0) {
    for (const key of Object.keys(next)) if (!(key in old)) delete next[key];
    Object.assign(next, structuredClone(old));
  } else if (rest.length === 0) {
    if (part in old) next[part] = structuredClone(old[part]);
    else delete next[part];
  } else if (isObject(next[part]) && isObject(old[part])) reset(next[part], old[part], rest);
}

const isObject = (value: unknown): value is Props =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** The paths at which two sets of inputs differ, as the engine lists them in `detailedDiff`. */
export function differingPaths(olds: Props, news: Props, at = ""): string[] {
  return [...new Set([...Object.keys(olds), ...Object.keys(news)])].flatMap((key) => {
    const path = at === "" ? key : `${at}.${key}`;
    const [old, next] = [olds[key], news[key]];
    if (isObject(old) && isObject(next)) return differingPaths(old, next, path);
    return JSON.stringify(old) === JSON.stringify(next) ? [] : [path];
  });
}

/** Whether a path of the option contains a path that differs. */
export const replacesFor = (options: readonly string[], differing: readonly string[]): boolean =>
  options.some((option) => {
    const path = partsOf(option).join(".");
    return differing.some((one) => path === "*" || one === path || one.startsWith(`${path}.`));
  });

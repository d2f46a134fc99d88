import type { WireEndpoint } from "../wire/endpoint.js";

/**
 * Resource names, by id: the name of the compute, else `primary` or `replica`. If two would be the same, both get their
 * id as a suffix.
 */
export function namesOf(endpoints: readonly WireEndpoint[], prefix: string): Map<string, string> {
  const base = ({ name, type }: WireEndpoint) => slug(name ?? "") || (type === "read_only" ? "replica" : "primary");
  const count = new Map<string, number>();
  for (const one of endpoints) count.set(base(one), (count.get(base(one)) ?? 0) + 1);
  const used = new Set([...count].flatMap(([name, times]) => (times === 1 ? [name] : [])));
  return new Map(
    endpoints.map((one) => {
      const name = base(one);
      if (count.get(name) === 1) return [one.id, prefix + name];
      let unique = `${name}-${one.id.replace(/^ep-/, "")}`;
      while (used.has(unique)) unique += "-2";
      used.add(unique);
      return [one.id, prefix + unique];
    }),
  );
}

const slug = (name: string): string => name.replace(/[^A-Za-z0-9_.-]+/g, "-").replace(/^-+|-+$/g, "");

// Corrupts answers: fields are missing or null, or have unknown words.

/** @returns undefined if nothing in the body can be corrupted that way */
export function corrupted(
  text: string,
  how: "null" | "missing" | "status" | "action",
  salt: number,
): string | undefined {
  if (text === "") return undefined;
  let count = 0;
  const chance = seeded(salt);
  const walk = (value: unknown, key = ""): unknown => {
    if (Array.isArray(value)) return value.map((one) => walk(one));
    if (how === key && typeof value === "string") {
      count++;
      return how === "status" ? "hibernating" : "rebalance_compute";
    }
    if (value === null || typeof value !== "object") return value;
    const kept: [string, unknown][] = [];
    for (const [name, inner] of Object.entries(value)) {
      const hit = (how === "null" || how === "missing") && chance() < 0.25;
      if (hit) count++;
      if (!hit) kept.push([name, walk(inner, name)]);
      else if (how === "null") kept.push([name, null]);
    }
    return Object.fromEntries(kept);
  };
  const corrupting = JSON.stringify(walk(JSON.parse(text)));
  return count > 0 ? corrupting : undefined;
}

/** Repeatable random numbers in [0, 1). */
function seeded(salt: number): () => number {
  let state = (salt + 1) * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return (state >>> 0) / 4_294_967_296;
  };
}

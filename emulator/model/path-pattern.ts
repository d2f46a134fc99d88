/**
 * Whether a path matches the pattern of a fault rule. `*` stands for anything within one segment, `**` for anything. For each part
 * of the pattern the function computes all positions of the path at which that part can end. So a wildcard costs one pass over the
 * path, and a pattern costs at most its length times the length of the path. Both have a limit (`limits.ts`).
 */
export function matchesPattern(pattern: string, path: string): boolean {
  const end = path.length + 1;
  let positions = new Uint8Array(end);
  positions[0] = 1;
  for (const piece of pattern.split(/(\*+)/)) {
    if (piece === "") continue;
    const next = new Uint8Array(end);
    if (piece.startsWith("*")) spread(positions, next, path, piece.length > 1);
    else {
      for (let at = path.indexOf(piece); at >= 0; at = path.indexOf(piece, at + 1)) {
        if (positions[at]) next[at + piece.length] = 1;
      }
    }
    positions = next;
  }
  return positions[path.length] === 1;
}

/** Marks the positions that a wildcard can reach from each position: the rest of the path, or of the segment. */
function spread(positions: Uint8Array, next: Uint8Array, path: string, overSegments: boolean): void {
  for (let at = positions.indexOf(1); at >= 0; ) {
    const slash = overSegments ? -1 : path.indexOf("/", at);
    const end = slash < 0 ? path.length : slash;
    next.fill(1, at, end + 1);
    at = positions.indexOf(1, end + 1);
  }
}

export const wildcardsIn = (pattern: string): number => pattern.match(/\*+/g)?.length ?? 0;

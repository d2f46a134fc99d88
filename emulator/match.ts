/**
 * Does a path fit the pattern of a fault rule? `*` stands for anything within one segment, `**` for anything. For each part of
 * the pattern, all places of the path where it can end are kept together. So a wildcard costs one pass over the path, and a
 * pattern costs at most its length times the length of the path (both are bounded, see `bounds.ts`).
 */
export function isLike(pattern: string, path: string): boolean {
  const end = path.length + 1;
  let places = new Uint8Array(end);
  places[0] = 1;
  for (const piece of pattern.split(/(\*+)/)) {
    if (piece === "") continue;
    const next = new Uint8Array(end);
    if (piece.startsWith("*")) spread(places, next, path, piece.length > 1);
    else {
      for (let at = path.indexOf(piece); at >= 0; at = path.indexOf(piece, at + 1)) {
        if (places[at]) next[at + piece.length] = 1;
      }
    }
    places = next;
  }
  return places[path.length] === 1;
}

/** Marks the places that a wildcard can reach from each place: the rest of the path, or of the segment. */
function spread(places: Uint8Array, next: Uint8Array, path: string, overSegments: boolean): void {
  for (let at = places.indexOf(1); at >= 0; ) {
    const slash = overSegments ? -1 : path.indexOf("/", at);
    const end = slash < 0 ? path.length : slash;
    next.fill(1, at, end + 1);
    at = places.indexOf(1, end + 1);
  }
}

export const wildcardsIn = (pattern: string): number => pattern.match(/\*+/g)?.length ?? 0;

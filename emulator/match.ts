/**
 * Does a path fit the pattern of a fault rule? `*` stands for anything within one segment, `**` for anything. The places of
 * the path that a part of the pattern can lead to are kept together, so a wildcard costs one pass over the path, and no
 * pattern costs more than its length times that of the path (both are bounded, see `bounds.ts`).
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

/** From each place to all that a wildcard leads to: the rest, or the rest of the segment. */
function spread(places: Uint8Array, next: Uint8Array, path: string, overSegments: boolean): void {
  for (let at = places.indexOf(1); at >= 0; ) {
    const slash = overSegments ? -1 : path.indexOf("/", at);
    const end = slash < 0 ? path.length : slash;
    next.fill(1, at, end + 1);
    at = places.indexOf(1, end + 1);
  }
}

export const wildcardsIn = (pattern: string): number => pattern.match(/\*+/g)?.length ?? 0;

/** Something that becomes due at a time. Entries of the same time are ordered by rank. */
export interface Entry {
  at: number;
  rank: number;
}

/** Sorted from the last to the first, so that the first is taken from the end. */
export class Agenda<T extends Entry> {
  private readonly entries: T[];

  constructor(entries: T[]) {
    this.entries = entries.sort((a, b) => (isBefore(a, b) ? 1 : -1));
  }

  add(entry: T): void {
    let low = 0;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(entry, this.entries[middle] as T)) low = middle + 1;
      else high = middle;
    }
    this.entries.splice(low, 0, entry);
  }

  next(): T | undefined {
    return this.entries.pop();
  }
}

const isBefore = (a: Entry, b: Entry): boolean => (a.at === b.at ? a.rank < b.rank : a.at < b.at);

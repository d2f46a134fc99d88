import type { RequestRecord } from "./api.js";
import { BOUNDS } from "./bounds.js";

/** The part of a bound that stays when the oldest records are dropped, so that not every request drops some. */
const KEPT = 0.9;

/**
 * The record of requests. A holder of the array may remove records from it, so the characters are counted anew when there may
 * be too many.
 */
export class RequestLog {
  readonly records: RequestRecord[] = [];
  private readonly sizes = new WeakMap<RequestRecord, number>();
  /** At least the characters that are recorded: records that a holder removed still count. */
  private characters = 0;

  add(record: RequestRecord, size: number): void {
    this.records.push(record);
    this.sizes.set(record, size);
    this.characters += size;
    if (this.records.length > BOUNDS.requests) this.drop(this.records.length - BOUNDS.requests * KEPT);
    if (this.characters > BOUNDS.requestCharacters) this.shrink();
  }

  private shrink(): void {
    const sizeOf = (record: RequestRecord) => this.sizes.get(record) ?? 0;
    this.characters = this.records.reduce((sum, record) => sum + sizeOf(record), 0);
    if (this.characters <= BOUNDS.requestCharacters * KEPT) return;
    let count = 0;
    // The newest stays, however large.
    while (this.characters > BOUNDS.requestCharacters * KEPT && count < this.records.length - 1) {
      this.characters -= sizeOf(this.records[count] as RequestRecord);
      count += 1;
    }
    this.drop(count);
  }

  private drop(count: number): void {
    this.records.splice(0, count);
  }
}

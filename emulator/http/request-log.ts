import { LIMITS } from "../model/limits.js";

/** One request to the API. Requests to the control routes are not recorded. */
export interface RequestRecord {
  method: string;
  /** With the query, relative to the base URL: `/projects/quiet-meadow-40718263/endpoints`. */
  path: string;
  /** Parsed if it is JSON, else the text. Absent without a body. */
  body?: unknown;
  /** Absent until the response. */
  status?: number | "cut";
  /** Milliseconds since the epoch. */
  time: number;
}

/** When a limit is passed, the oldest records are dropped until 90 % of it is left: the next drop is many requests away. */
const KEPT_SHARE = 0.9;

/**
 * The record of requests. A user of the array may remove records from it, so the characters are counted again before records
 * are dropped.
 */
export class RequestLog {
  readonly records: RequestRecord[] = [];
  private readonly sizes = new WeakMap<RequestRecord, number>();
  /** The recorded characters, or more: records that a user removed still count. */
  private characters = 0;

  add(record: RequestRecord, size: number): void {
    this.records.push(record);
    this.sizes.set(record, size);
    this.characters += size;
    if (this.records.length > LIMITS.recordedRequests)
      this.drop(this.records.length - LIMITS.recordedRequests * KEPT_SHARE);
    if (this.characters > LIMITS.recordedCharacters) this.shrink();
  }

  private shrink(): void {
    const sizeOf = (record: RequestRecord) => this.sizes.get(record) ?? 0;
    this.characters = this.records.reduce((sum, record) => sum + sizeOf(record), 0);
    if (this.characters <= LIMITS.recordedCharacters * KEPT_SHARE) return;
    let count = 0;
    // The newest stays, however large.
    while (this.characters > LIMITS.recordedCharacters * KEPT_SHARE && count < this.records.length - 1) {
      this.characters -= sizeOf(this.records[count] as RequestRecord);
      count += 1;
    }
    this.drop(count);
  }

  private drop(count: number): void {
    this.records.splice(0, count);
  }
}

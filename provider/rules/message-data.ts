// The data at the end of a preview's message: the state of the compute, and whether `up` will fail. The report reads this data format,
// because Pulumi puts nothing else from a hook into the preview's document. A user's program could print such data too. So the report
// never lowers an impact because of it. For a creation, the report only copies the sentence before it. `up` does not read it, and looks at
// the service again.

const STATES = ["active", "idle", "disabled"] as const;

export interface Seen {
  state: (typeof STATES)[number];
  /** RFC 3339 in UTC, to the second. */
  at: string;
}

/**
 * What `up` will do, from one request to the service. `makes`: `adopt: true` finds no primary, so a new compute is created. `fails
 * unless replaced`: the preview can't tell a creation from a forced replacement. The document's step shows which it is.
 */
const OUTLOOKS = ["fails", "fails unless replaced", "adopts", "makes"] as const;
type OutlookWord = (typeof OUTLOOKS)[number];

export type MessageFact = Seen["state"] | OutlookWord;

/** Whether the fact is the state of the compute. */
export const isState = (fact: MessageFact): fact is Seen["state"] => (STATES as readonly string[]).includes(fact);

export interface Facts {
  seen?: Seen;
  outlook?: { kind: OutlookWord; at: string };
  /** The message without the data. */
  text: string;
}

/** " [active, fails at 2026-05-04T12:00:05Z]", to append to the last sentence; empty without facts. */
export const factsTail = (facts: readonly MessageFact[], atMs: number): string =>
  facts.length === 0
    ? ""
    : ` [${facts.join(", ")} at ${new Date(atMs).toISOString().slice(0, "2026-05-04T12:00:05".length)}Z]`;

/**
 * Marks a change that check has refused: "[refused 892732bba34f…]" with the whole digest that approves the change, or "[refused]" if no
 * digest can approve it. It stands at the end of the failure's first line, because people copy the last line, the approve command.
 */
export const refusalTail = (digest: string | undefined): string =>
  `[refused${digest === undefined ? "" : ` ${digest}`}]`;

const REFUSAL = / \[refused(?: ([0-9a-f]{32}))?\](?=\s*$)/m;

/** The data that `refusalTail` wrote into the message. Undefined if the message is not a refusal. */
export function readRefusal(message: string): { digest?: string; text: string } | undefined {
  const found = REFUSAL.exec(message.slice(0, LONGEST_REFUSAL));
  if (!found) return undefined;
  const text = message.slice(0, found.index) + message.slice(found.index + found[0].length);
  return { text, ...(found[1] === undefined ? {} : { digest: found[1] }) };
}
const LONGEST_REFUSAL = 20_000;

const [STATE, OUTLOOK] = [STATES.join("|"), OUTLOOKS.join("|")];
const TAIL = new RegExp(
  ` \\[(?:(${STATE})|(?:(${STATE}), )?(${OUTLOOK})) at (\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ)\\]\\s*$`,
);
const LONGEST_TAIL = 120;

/** Reads what `factsTail` wrote. Pulumi ends a message with a line end. */
export function readFacts(message: string): Facts | undefined {
  const end = message.slice(-LONGEST_TAIL);
  const found = TAIL.exec(end);
  const [, alone, beside, kind, at] = found ?? [];
  if (!found || !at || Number.isNaN(Date.parse(at))) return undefined;
  const state = alone ?? beside;
  return {
    text: message.slice(0, message.length - end.length + found.index),
    ...(state ? { seen: { state: state as Seen["state"], at } } : {}),
    ...(kind ? { outlook: { kind: kind as OutlookWord, at } } : {}),
  };
}

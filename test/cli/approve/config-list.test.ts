/** The list in the text of a file: what is added and taken out, and that nothing else in the text changes. */
import { describe, expect, test } from "vitest";
import * as yaml from "yaml";
import { type ListChange, readList, writeList } from "../../../cli/approve/config-list";

const [A, B, C, NEW] = ["a", "b", "c", "0123456789abcdef"].map((one) => one.repeat(32).slice(0, 32)) as [
  string,
  string,
  string,
  string,
];
const ITEM = { entry: `${NEW}@2027-01-31`, comment: "primary: size 1 → 4" };
const LINE = `- "${NEW}@2027-01-31" # primary: size 1 → 4`;
const FLOW = `"${NEW}@2027-01-31"`;

const values = (text: string): unknown[] => readList(yaml, text).values ?? [];
const write = (text: string, change: Partial<ListChange> = {}) =>
  writeList(yaml, text, { values: values(text), remove: new Set(), add: [ITEM], ...change });

describe("an approval is added", () => {
  test.each<[what: string, before: string, after: string]>([
    ["to a file without anything", "", `config:\n  compute:approve:\n    ${LINE}\n`],
    ["to one with comments only", "# prod\n", `# prod\nconfig:\n  compute:approve:\n    ${LINE}\n`],
    [
      "beside other config, with its comments, quotes and order",
      `# who may change this: ops\nencryptionsalt: v1:abc # never by hand\nconfig:\n  aws:region: 'us-east-2'   # two blanks and more\n\n  compute:onRestart: refuse\n`,
      `# who may change this: ops\nencryptionsalt: v1:abc # never by hand\nconfig:\n  aws:region: 'us-east-2'   # two blanks and more\n\n  compute:onRestart: refuse\n  compute:approve:\n    ${LINE}\n`,
    ],
    [
      "where config is not the last key",
      `config:\n    a:b: 1 # why\n# about the environment\nenvironment:\n  - shop/prod\n`,
      `config:\n    a:b: 1 # why\n    compute:approve:\n      ${LINE}\n# about the environment\nenvironment:\n  - shop/prod\n`,
    ],
    ["where config is empty", "config:\nx: 1\n", `config:\n  compute:approve:\n    ${LINE}\nx: 1\n`],
    ["where config is {}", "config: {} # none\n", `config: # none\n  compute:approve:\n    ${LINE}\n`],
    [
      "where there is no config",
      "encryptionsalt: v1:x\n",
      `encryptionsalt: v1:x\nconfig:\n  compute:approve:\n    ${LINE}\n`,
    ],
    [
      "to a list",
      `config:\n  compute:approve:\n    - "${A}" # first\n    # about the second\n    - ${B}@2026-01-31   # why\n  z:z: 1\n`,
      `config:\n  compute:approve:\n    - "${A}" # first\n    # about the second\n    - ${B}@2026-01-31   # why\n    ${LINE}\n  z:z: 1\n`,
    ],
    [
      "to a list without indentation",
      `config:\n  "compute:approve":\n  - '${A}'\n  z:z: 1\n`,
      `config:\n  "compute:approve":\n  - '${A}'\n  ${LINE}\n  z:z: 1\n`,
    ],
    [
      "to a list at the end of a file without a line end",
      `config:\n  compute:approve:\n    - ${A}`,
      `config:\n  compute:approve:\n    - ${A}\n    ${LINE}\n`,
    ],
    [
      "to a list in brackets",
      `config:\n  compute:approve: [${A}, '${B}'] # two\n`,
      `config:\n  compute:approve: [${A}, '${B}', ${FLOW}] # two\n`,
    ],
    [
      "to an empty list",
      "config:\n  compute:approve: [] # none\n  z:z: 1\n",
      `config:\n  compute:approve: # none\n    ${LINE}\n  z:z: 1\n`,
    ],
    [
      "to a key without a value",
      "config:\n  compute:approve:\n  z:z: 1\n",
      `config:\n  compute:approve:\n    ${LINE}\n  z:z: 1\n`,
    ],
    [
      "to a key with a comment only",
      "config:\n  compute:approve: # none yet\n  z:z: 1\n",
      `config:\n  compute:approve: # none yet\n    ${LINE}\n  z:z: 1\n`,
    ],
    [
      "to a single entry",
      `config:\n  compute:approve: ${A} # alone\n  z:z: 1\n`,
      `config:\n  compute:approve: # alone\n    - "${A}"\n    ${LINE}\n  z:z: 1\n`,
    ],
    [
      "to a list that is a text of JSON",
      `config:\n  compute:approve: '["${A}"]'\n`,
      `config:\n  compute:approve:\n    - "${A}"\n    ${LINE}\n`,
    ],
    ["to a file in braces", `{"config": {"a:b": "1"}}\n`, `{"config": {"a:b": "1", "compute:approve": [${FLOW}]}}\n`],
    [
      "after a list and a map at the end of config",
      "config:\n  a:b:\n    c:\n      - 1\n      - d: 2\n  \n",
      `config:\n  a:b:\n    c:\n      - 1\n      - d: 2\n  compute:approve:\n    ${LINE}\n  \n`,
    ],
    [
      "after a text of several lines",
      "config:\n  a:b: |\n    one\n    two\nx: 1\n",
      `config:\n  a:b: |\n    one\n    two\n  compute:approve:\n    ${LINE}\nx: 1\n`,
    ],
    [
      "with the file's own ends of lines",
      "config:\r\n  compute:onRestart: refuse\r\nx: 1\r\n",
      `config:\r\n  compute:onRestart: refuse\r\n  compute:approve:\r\n    ${LINE}\r\nx: 1\r\n`,
    ],
    [
      "to a project's file, where a value stands under a key of its own",
      `name: shop\nruntime: nodejs\nconfig:\n  compute:approve:\n    value: [${A}]\n    description: reviewed\n`,
      `name: shop\nruntime: nodejs\nconfig:\n  compute:approve:\n    value: [${A}, ${FLOW}]\n    description: reviewed\n`,
    ],
    [
      "to a project's file without one",
      "name: shop\nruntime: nodejs\n",
      `name: shop\nruntime: nodejs\nconfig:\n  compute:approve:\n    value:\n      ${LINE}\n`,
    ],
  ])("%s", (_what, before, after) => {
    expect(write(before)).toBe(after);
  });

  test("several at once, in their order", () => {
    const text = `config:\n  compute:approve:\n    - ${A}\n`;
    expect(write(text, { add: [{ entry: B }, { entry: C }] })).toBe(`${text}    - "${B}"\n    - "${C}"\n`);
  });

  test("behind the entries of a list that this file hides", () => {
    const text = "config:\n  compute:onRestart: refuse\n";
    expect(write(text, { values: [A, `${B}@2027-01-31`] })).toBe(
      `${text}  compute:approve:\n    - "${A}"\n    - "${B}@2027-01-31"\n    ${LINE}\n`,
    );
  });
});

describe("entries are taken out", () => {
  const LIST = `config:\n  compute:approve:\n    - ${A} # first\n    # about the second\n    - "${B}"\n    - ${C}\n  z:z: 1\n`;
  test.each<[what: string, before: string, remove: number[], add: boolean, after: string]>([
    [
      "one of them",
      LIST,
      [1],
      false,
      `config:\n  compute:approve:\n    - ${A} # first\n    # about the second\n    - ${C}\n  z:z: 1\n`,
    ],
    [
      "all, and another comes",
      LIST,
      [0, 1, 2],
      true,
      `config:\n  compute:approve:\n    # about the second\n    ${LINE}\n  z:z: 1\n`,
    ],
    ["all, and the key goes", LIST, [0, 1, 2], false, "config:\n    # about the second\n  z:z: 1\n"],
    [
      "all of a list in brackets",
      `config:\n  a:a: 1\n  compute:approve: [${A}] # old\n  z:z: 1\n`,
      [0],
      false,
      "config:\n  a:a: 1\n  z:z: 1\n",
    ],
    ["the last line", `config:\n  a:a: 1\n  compute:approve:\n    - ${A}`, [0], false, "config:\n  a:a: 1\n"],
    [
      "the last one, without a line end",
      `config:\n  compute:approve:\n    - ${A}\n    - ${B}`,
      [1],
      false,
      `config:\n  compute:approve:\n    - ${A}\n`,
    ],
    [
      "one in brackets",
      `config:\n  compute:approve: [${A}, '${B}', ${C}]\n`,
      [0],
      true,
      `config:\n  compute:approve: ['${B}', ${C}, ${FLOW}]\n`,
    ],
    [
      "the only one, which is a text",
      `config:\n  compute:approve: ${A}\n`,
      [0],
      false,
      "config:\n  compute:approve: []\n",
    ],
  ])("%s", (_what, before, remove, add, after) => {
    expect(write(before, { remove: new Set(remove), add: add ? [ITEM] : [] })).toBe(after);
  });

  test("all, where a list elsewhere would count again: an empty list stays", () => {
    expect(write(LIST, { remove: new Set([0, 1, 2]), add: [], keepsEmpty: true })).toBe(
      "config:\n  compute:approve:\n    []\n    # about the second\n  z:z: 1\n",
    );
  });
});

describe("a file that can't be edited in place is left, with a reason", () => {
  test.each<[what: string, text: string, says: RegExp]>([
    ["no YAML", "config: [\n", /it is not valid YAML/],
    ["one that has a key twice", "config:\n  a: 1\n  a: 2\n", /it is not valid YAML/],
    ["a list", "- a\n", /the file is not a map/],
    ["config as a text", "config: dir\n", /config is not a map/],
    ["an encrypted list", "config:\n  compute:approve:\n    secure: v1:x\n", /is encrypted/],
    ["an alias", `x: &list [${A}]\nconfig:\n  compute:approve: *list\n`, /is an alias/],
    [
      "a list that stands elsewhere too",
      `config:\n  compute:approve: &list [${A}]\n  other:list: *list\n`,
      /can't be edited in place/,
    ],
  ])("%s", (_what, text, says) => {
    expect(() => write(text)).toThrow(says);
  });
});

test.each<[text: string, expected: object]>([
  ["name: a\nruntime: nodejs\n", { isProject: true, hasEnvironments: false }],
  ["environment:\n  - a\nconfig:\n  compute:approve: []\n", { isProject: false, hasEnvironments: true, values: [] }],
])("what a file is: %j", (text, expected) => {
  expect(readList(yaml, text)).toEqual({ comments: new Map(), ...expected });
});

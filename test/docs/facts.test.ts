/** What the pages say of the code, beside programs, links and messages. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { CONFIG_NAMES } from "../../provider/rules/config-names.js";
import { PROVIDER_TEXT } from "../../sdk/literal.js";
import { FAULT_KINDS } from "../chaos/faults/kinds";
import { MANUAL_CHANGE_KINDS } from "../chaos/manual-changes";
import { BUGS } from "../chaos/planted/bugs";
import { ROOT } from "../package/snippets";
import { textOf } from "./pages";
import { keptReports, shownOf } from "./reports";

/** Property names of an interface or class in sdk/endpoint.ts. */
function membersOf(name: string): string[] {
  const file = join(ROOT, "sdk/endpoint.ts");
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  source.forEachChild((node) => {
    if ((ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)) && node.name?.text === name) {
      for (const member of node.members) {
        const isProperty =
          ts.isPropertySignature(member) || ts.isPropertyDeclaration(member) || ts.isGetAccessor(member);
        if (isProperty && ts.isIdentifier(member.name)) found.push(member.name.text);
      }
    }
  });
  return found;
}

/** Code spans in the first column of the table under a heading. */
function firstColumn(page: string, heading: string): string[] {
  const section = textOf(page)
    .split(/^## /m)
    .find((one) => one.startsWith(`${heading}\n`));
  return [...(section ?? "").matchAll(/^\| ([^|]*) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map(([, span]) => span!.split(".")[0]!),
  );
}

describe("the reference", () => {
  test("has a row for each input", () => {
    const inputs = membersOf("EndpointArgs");
    expect(inputs.length).toBeGreaterThan(14);
    expect([...new Set(firstColumn("docs/reference.md", "Inputs"))].sort()).toEqual(inputs.sort());
  });

  test("has a row for each output that is no input", () => {
    const inputs = membersOf("EndpointArgs");
    const outputs = membersOf("Endpoint").filter((name) => !inputs.includes(name) || name === "regionId");
    expect(outputs.length).toBeGreaterThan(10);
    expect(firstColumn("docs/reference.md", "Outputs").sort()).toEqual([...outputs, "id"].sort());
  });
});

test("the page on configuration has a row for each setting of the stack's config, and no other", () => {
  const rows = firstColumn("docs/configuration.md", "Settings");
  expect(rows.sort()).toEqual(CONFIG_NAMES.map((name) => `compute:${name}`).sort());
});

test("the page on design names the size of the provider's text as it is", () => {
  expect(textOf("docs/design.md")).toContain(`${Buffer.byteLength(PROVIDER_TEXT)} bytes`);
});

test("the README names the version of package.json and its oldest Node.js and SDK", () => {
  const { version, engines, peerDependencies } = JSON.parse(textOf("package.json")) as {
    version: string;
    engines: { node: string };
    peerDependencies: Record<string, string>;
  };
  const readme = textOf("README.md");
  expect(readme).toContain(`version ${version}`);
  expect(readme).toContain(`Node.js ${engines.node.slice(2)}`);
  const [, oldest] = /^\^(\d+\.\d+)/.exec(peerDependencies["@pulumi/pulumi"]!)!;
  expect(readme).toContain(`The oldest supported version is ${oldest}.`);
});

test("the page on the report shows reports as the rehearsal on the real engine keeps them", () => {
  const shown = [...textOf("docs/report.md").matchAll(/^> ### .*$(?:\n^>.*$)*/gm)].map(([quote]) =>
    quote.replace(/^> ?/gm, ""),
  );
  expect(shown).toHaveLength(4);
  const kept = keptReports().map(({ text }) => shownOf(text));
  expect(kept).toHaveLength(5);
  expect(shown.filter((text) => !kept.includes(text))).toEqual([]);
});

describe("the page on random tests", () => {
  /** The first column of the table with this head. */
  const rowsUnder = (head: string): string[] => {
    const [, table = ""] = textOf("docs/chaos.md").split(`\n| ${head} |`);
    const [rows = ""] = table.split("\n\n");
    return [...rows.matchAll(/^\| ([^|]+) \|/gm)]
      .map(([, cell]) => cell!.replaceAll("`", ""))
      .filter((cell) => !/^-+$/.test(cell));
  };

  test("has a row for each planted bug", () => {
    expect(rowsUnder("bug").sort()).toEqual(BUGS.map(({ name }) => name).sort());
  });

  test("has a row for each fault", () => {
    expect(rowsUnder("fault that hit").sort()).toEqual(
      [...new Set([...FAULT_KINDS, ...MANUAL_CHANGE_KINDS, "clock skew of a minute"])].sort(),
    );
  });
});

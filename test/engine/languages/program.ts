/** A program as the stories have it, to be written in each language. */
import type { LanguageName } from "../../../tools/engine/languages";
import type { Workspace } from "../../../tools/engine/workspace";

export interface Program {
  computes: Compute[];
  outputs?: Record<string, Ref>;
}

export interface Compute {
  name: string;
  /** By the names of the schema. */
  properties: Record<string, string | number | boolean | Ref>;
  options?: { import?: string };
}

/** An output of another compute. */
export class Ref {
  constructor(
    readonly compute: string,
    readonly property: string,
  ) {}
}

export interface Language {
  name: LanguageName;
  /** What a new project has, beside the program. */
  project: Record<string, string>;
  /** The program's own files. */
  files(program: Program): Record<string, string>;
  /** The files with what `pulumi import` wrote. */
  imported(code: string): Record<string, string>;
  /** What `pulumi import` prints of a compute. */
  importedCode: RegExp;
  example: {
    main: string;
    /** The primary's upper limit in the program. */
    maxCu(value: number): string;
    /** Files that `package add` writes into, and that the example has already. */
    kept: string[];
  };
  /** Does the program import an SDK that is generated? YAML has none. */
  hasSdk: boolean;
  /** What the page says to do once, after `npm install`. */
  addPackage(ws: Workspace): Promise<void>;
}

export const PLUGIN = "./node_modules/pulumi-compute-endpoint/plugin";
/** In the languages with a generated SDK. */
export const PACKAGE_ADD = ["package", "add", PLUGIN];
/** What a language's first commands may take, where Go downloads modules and compiles Pulumi's SDK. */
export const FIRST_TIME_MS = 360_000;
export const addPackage = async (ws: Workspace): Promise<void> =>
  void (await ws.pulumi(PACKAGE_ADD, { fails: false, limitMs: FIRST_TIME_MS }));

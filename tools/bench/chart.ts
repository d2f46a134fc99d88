/** The picture: requests and time against N for the three providers, as SVG that is readable on light and on dark. */
import type { Spec } from "vega";
import type { Circumstances } from "./machine";
import { PROVIDERS, type ProviderName } from "./programs";
import type { Row } from "./row";

interface Panel {
  title: string;
  /** The scenario whose rows the panel shows. */
  scenario: string;
  requests: string;
  time: string;
}

const PANELS: Panel[] = [
  {
    title: "first up, one project",
    scenario: "branches",
    requests: "first up: requests",
    time: "first up: wall time ÷ the best possible",
  },
  {
    title: "up without a change",
    scenario: "unchanged",
    requests: "up: requests",
    time: "up: wall time ÷ floor",
  },
  {
    title: "refresh, 5 projects",
    scenario: "refresh",
    requests: "refresh: requests",
    time: "refresh: wall time ÷ floor",
  },
];

export interface Point {
  n: number;
  provider: string;
  value: number;
}

const NAMES: Record<ProviderName, string> = {
  floor: "no-op provider",
  naive: "naive provider",
  ours: "pulumi-compute-endpoint",
};
/** Each stands out on white and on near-black. */
const COLORS: Record<ProviderName, string> = { floor: "#8b949e", naive: "#d97706", ours: "#2f81f7" };
const WIDTH = 210;
const HEIGHT = 120;
/** The upper end of an axis is at least this, so that a panel without requests still has an axis. */
const LEAST = 10;

/** The medians of a figure, for each N and provider. */
export const pointsOf = (rows: readonly Row[], scenario: string, figure: string): Point[] =>
  rows
    .filter((row) => row.scenario === scenario && row.figure === figure)
    .flatMap(({ n, medians }) =>
      PROVIDERS.flatMap((provider) => {
        const value = medians[provider];
        return value === undefined || n === undefined ? [] : [{ n, provider: NAMES[provider], value }];
      }),
    );

/** @throws if the rows have no figures for a panel */
export async function chartOf(rows: readonly Row[], taken: Circumstances): Promise<string> {
  const panels = (["requests", "time"] as const).flatMap((what) =>
    PANELS.map((panel) => ({ panel, what, points: pointsOf(rows, panel.scenario, panel[what]) })),
  );
  const empty = panels.find(({ points }) => points.length === 0);
  if (empty) throw new Error(`a chart needs the scenario ${empty.panel.scenario}`);
  const marks = panels.map(({ panel, what, points }) =>
    panelOf(points, what === "requests" ? panel.title : "", what === "requests" ? "requests" : "seconds"),
  );
  // No static import: vega is an ES module, and large.
  const { parse, View } = await import("vega");
  const view = new View(parse(specOf(marks, taken)), { renderer: "none" });
  const svg = await view.toSVG();
  view.finalize();
  return `${withThemes(svg)}\n`;
}

type Mark = NonNullable<Spec["marks"]>[number];

function panelOf(points: Point[], title: string, unit: string): Mark {
  const line = { x: { scale: "x", field: "n" }, y: { scale: "y", field: "value" } };
  const color = { scale: "color", field: "provider" };
  return {
    type: "group",
    title: title === "" ? undefined : { text: title, anchor: "start", fontSize: 12, frame: "group" },
    encode: { enter: { width: { value: WIDTH }, height: { value: HEIGHT } } },
    // The grid takes its length from these.
    signals: [
      { name: "width", value: WIDTH },
      { name: "height", value: HEIGHT },
    ],
    data: [{ name: "points", values: points }],
    scales: [
      { name: "x", type: "linear", range: [0, WIDTH], domain: { data: "points", field: "n" }, zero: true },
      {
        name: "y",
        type: "linear",
        range: [HEIGHT, 0],
        domain: [0, Math.max(LEAST, ...points.map(({ value }) => value))],
        nice: true,
      },
    ],
    axes: [
      { orient: "bottom", scale: "x", values: [...new Set(points.map(({ n }) => n))], title: "computes" },
      { orient: "left", scale: "y", tickCount: 4, grid: true, title: unit },
    ],
    marks: [
      {
        type: "group",
        from: { facet: { name: "series", data: "points", groupby: "provider" } },
        marks: [
          {
            type: "line",
            from: { data: "series" },
            encode: { enter: { ...line, stroke: color, strokeWidth: { value: 2 } } },
          },
          {
            type: "symbol",
            from: { data: "series" },
            encode: { enter: { ...line, fill: color, size: { value: 30 } } },
          },
        ],
      },
    ],
  } as Mark;
}

const specOf = (marks: Mark[], taken: Circumstances): Spec => ({
  padding: 8,
  layout: { columns: PANELS.length, padding: { row: 16, column: 30 }, bounds: "full", align: "each" },
  title: {
    text:
      `${taken.engine}, Node.js ${taken.node}, ${taken.cores} cores, --parallel ${taken.parallel}, ` +
      `medians of ${taken.rounds} rounds`,
    anchor: "start",
    fontSize: 11,
    fontWeight: "normal",
    orient: "bottom",
    offset: 12,
  },
  scales: [
    {
      name: "color",
      type: "ordinal",
      domain: PROVIDERS.map((provider) => NAMES[provider]),
      range: PROVIDERS.map((provider) => COLORS[provider]),
    },
  ],
  legends: [{ fill: "color", orient: "top", direction: "horizontal", symbolType: "circle", labelLimit: 0 }],
  config: {
    axis: {
      gridColor: "#8b949e",
      gridOpacity: 0.3,
      domainColor: "#8b949e",
      tickColor: "#8b949e",
      titleFontWeight: "normal",
    },
  },
  marks,
});

/** Follows the light or dark theme of the reader, even if a page shows the picture with `<img>`. */
const STYLE =
  "text{fill:#424a53;font-family:system-ui,sans-serif}" + "@media (prefers-color-scheme:dark){text{fill:#b1bac4}}";

const withThemes = (svg: string): string => svg.replace(/^<svg [^>]*>/, `$&<style>${STYLE}</style>`);

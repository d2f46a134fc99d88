import * as pulumi from "@pulumi/pulumi";
import { configWarnings } from "../provider/rules/config-warnings.js";
import { computeSettings, isConfigSecret, isMocked, oncePerRun } from "./pulumi-run.js";

/** Warns once in each run about mistakes in the stack's config that do not fail it. */
export const warnOfConfig = oncePerRun((monitor) => {
  if (!monitor || isMocked(monitor)) return;
  const isPlainKey = isConfigSecret("compute:apiKey") === false;
  const settings = { values: computeSettings(), isPlainKey, project: pulumi.getProject() };
  for (const line of configWarnings(settings, process.env, Date.now())) void pulumi.log.warn(line);
});

// The warnings of create and update, like those of the TypeScript class's hook (`sdk/preview-warnings.ts`), but without the sum, and
// without failures that another resource of the run may remove: the plugin does not learn when the program ends. Only create and
// update know whether this is a preview. In a preview they ask the service for the current state.

import type { ProviderConfig } from "../provider/config.js";
import { checkInputs } from "../provider/endpoint/inputs.js";
import type { ProjectNow } from "../provider/lookup/live.js";
import { approvalStateOf } from "../provider/rules/approval.js";
import { readNotice } from "../provider/rules/notice.js";
import * as rules from "../provider/rules/preview-lines.js";
import { type DesiredSettings, desiredSettings } from "../provider/rules/settings.js";
import { announcedChange, type Change, type Line, withFailure } from "../provider/rules/warnings.js";
import type { Props, Values } from "./values.js";

export type ResourceStep = rules.ResourceStep<ProjectNow>;

/** A resource in an update. */
export interface UpdateStep extends rules.UpdateStep<ProjectNow> {
  oldInputs: Props;
  askAgain: boolean;
}

/** What the process knows of a step beside its inputs. */
interface Surroundings extends Pick<ResourceStep, "isPreview" | "projectNow" | "lookups"> {
  urn: string;
  /** Absent in a create. */
  oldInputs?: Props;
  config: ProviderConfig;
  /** Whether `refuse` only warns in this run. */
  isSoftened: () => boolean;
}

export function resourceStep({ props: news, secrets }: Values, surroundings: Surroundings): ResourceStep {
  const { urn, oldInputs, config, isSoftened, ...rest } = surroundings;
  const { digests } = config.approvals;
  return {
    ...rest,
    news,
    secrets,
    notice: readNotice(news),
    stackOnRestart: config.onRestart,
    approval: () => {
      const change = { urn, oldInputs, news, desired: desiredSettingsIn(news), secrets, digests };
      return approvalStateOf({ ...change, isSoftened: isSoftened() });
    },
  };
}

/** A line, and when the service was asked for it. */
export interface TimedLine extends Line {
  atMs?: number | undefined;
}

/** The change of an update, compared with the inputs and the outputs in the state. */
export function announcedChangeOf({ olds, news, oldInputs, secrets, notice, askAgain }: UpdateStep): Change {
  const desired = desiredSettingsIn(news);
  return announcedChange({ inputs: oldInputs, outputs: olds }, { news, desired, secrets, notice, askAgain });
}

function desiredSettingsIn(news: Props): DesiredSettings {
  const { inputs, unknown } = checkInputs(news);
  return desiredSettings(inputs, unknown);
}

export const linesOfUpdate = async (step: UpdateStep, change: Change): Promise<TimedLine[]> =>
  (await rules.linesOfUpdate(step, change)).flatMap(timedLine);

export const linesOfCreation = async (step: ResourceStep): Promise<TimedLine[]> =>
  timedLine(await rules.lineOfCreate(step));

/** A compute that is in the way may leave in this run, and the plugin does not learn when the program ends. */
function timedLine({ line, failure, atMs }: rules.PreviewLine): TimedLine[] {
  const whole = withFailure(line, failure?.id === undefined ? failure : undefined);
  return whole ? [{ ...whole, atMs }] : [];
}

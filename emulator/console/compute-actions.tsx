import { useState } from "preact/hooks";
import type { EndpointView } from "../model/change-types.js";
import { useAct } from "./actions.js";
import { Dialog } from "./dialog.js";

/** A dialog that was opened. Each opening is an object of its own, which is also the key of its component. */
interface Opening {
  question: "resize" | "rename" | "delete";
}

/**
 * What a person can do to a compute. No button is ever disabled: to see what the service refuses, and with which words, is what an
 * emulator is for.
 */
export function ComputeActions({ endpoint }: { endpoint: EndpointView }) {
  const act = useAct();
  const [opening, setOpening] = useState<Opening>();
  const ask = (question: Opening["question"]) => () => setOpening({ question });
  // The browser tells later that a dialog was closed. The next one may be open by then, and has to stay.
  const close = () => setOpening((open) => (open === opening ? undefined : open));
  const path = `/api/projects/${endpoint.project_id}/endpoints/${endpoint.id}`;
  const now = (what: string, action: string) => () =>
    void act({ what: `${what} ${endpoint.id}`, method: "POST", path: `${path}/${action}` });
  const patch = (what: string, fields: object): Promise<string | undefined> =>
    act({ what: `${what} ${endpoint.id}`, method: "PATCH", path, body: { endpoint: fields } });

  return (
    <>
      <fieldset class="buttons" aria-label={`Actions for ${endpoint.id}`}>
        <button type="button" onClick={now("Start", "start")}>
          Start
        </button>
        <button type="button" onClick={now("Suspend", "suspend")}>
          Suspend
        </button>
        <button type="button" onClick={now("Restart", "restart")}>
          Restart
        </button>
        <span class="gap" />
        <button type="button" onClick={ask("resize")}>
          Resize…
        </button>
        <button type="button" onClick={ask("rename")}>
          Rename…
        </button>
        <button type="button" onClick={ask("delete")}>
          Delete…
        </button>
      </fieldset>
      {opening?.question === "resize" && (
        <ResizeDialog key={opening} endpoint={endpoint} patch={patch} onClose={close} />
      )}
      {opening?.question === "rename" && (
        <Dialog
          key={opening}
          title="Rename the compute"
          action="Rename"
          onSubmit={(fields) => patch("Rename", { name: fields.get("name") })}
          onClose={close}
        >
          <label>
            Name
            <input name="name" defaultValue={endpoint.name ?? ""} autocomplete="off" />
          </label>
        </Dialog>
      )}
      {opening?.question === "delete" && (
        <Dialog
          key={opening}
          title={`Delete ${endpoint.id}?`}
          action="Delete"
          isDangerous
          onSubmit={() => act({ what: `Delete ${endpoint.id}`, method: "DELETE", path })}
          onClose={close}
        >
          <p>Its connections drop, and its host is gone for good. A new compute gets another host.</p>
        </Dialog>
      )}
    </>
  );
}

interface ResizeDialogProps {
  endpoint: EndpointView;
  patch: (what: string, fields: object) => Promise<string | undefined>;
  onClose: () => void;
}

function ResizeDialog({ endpoint, patch, onClose }: ResizeDialogProps) {
  const submit = (fields: FormData) =>
    patch("Resize", {
      autoscaling_limit_min_cu: Number(fields.get("min")),
      autoscaling_limit_max_cu: Number(fields.get("max")),
    });
  return (
    <Dialog title="Resize the compute" action="Resize" onSubmit={submit} onClose={onClose}>
      <p>In compute units (CU). Two equal values are a fixed size. An active compute restarts.</p>
      <div class="fields">
        <label>
          Minimum
          <input
            name="min"
            type="number"
            step="any"
            required
            defaultValue={String(endpoint.autoscaling_limit_min_cu)}
          />
        </label>
        <label>
          Maximum
          <input
            name="max"
            type="number"
            step="any"
            required
            defaultValue={String(endpoint.autoscaling_limit_max_cu)}
          />
        </label>
      </div>
    </Dialog>
  );
}

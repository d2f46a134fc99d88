import { useCallback, useState } from "preact/hooks";
import { type Act, ActContext } from "./actions.js";
import { Announcer } from "./announcer.js";
import { ByHand } from "./by-hand.js";
import { Computes } from "./computes.js";
import { send } from "./emulator-api.js";
import { Notice, type Outcome } from "./notice.js";
import { Operations } from "./operations.js";
import type { State } from "./state.js";
import { Timeline } from "./timeline.js";
import { useEmulator } from "./use-emulator.js";

/** On a phone one part is shown at a time. */
const PARTS = [
  ["computes", "Computes"],
  ["operations", "Operations"],
  ["timeline", "Timeline"],
  ["by-hand", "By hand"],
] as const;
type Part = (typeof PARTS)[number][0];

export function App() {
  const { state, isLive, refresh } = useEmulator();
  const [outcome, setOutcome] = useState<Outcome>();
  const [chosen, choose] = useState<string>();
  const [part, setPart] = useState<Part>("computes");

  const act: Act = useCallback(
    async ({ what, method, path, body }) => {
      let refusal: string | undefined;
      try {
        await send(method, path, body);
      } catch (error) {
        refusal = (error as Error).message;
      }
      setOutcome({
        text: refusal === undefined ? `${what}: done` : `${what}: ${refusal}`,
        isRefusal: refusal !== undefined,
      });
      refresh();
      return refusal;
    },
    [refresh],
  );

  const dismiss = useCallback(() => setOutcome(undefined), []);

  const project = state?.projects.find(({ id }) => id === chosen) ?? state?.projects[0];
  return (
    <ActContext.Provider value={act}>
      <header class="top">
        <h1>Compute emulator</h1>
        <label>
          <span class="unseen">Project</span>
          <select value={project?.id ?? ""} onChange={(event) => choose(event.currentTarget.value)}>
            {state?.projects.map(({ id, name }) => (
              <option key={id} value={id}>
                {name === id ? id : `${name} (${id})`}
              </option>
            ))}
          </select>
        </label>
        <span class="gap" />
        <p class={`live ${isLive ? "good" : "bad"}`} role="status">
          {isLive ? "Live" : "No answer from the emulator"}
        </p>
      </header>
      <nav aria-label="Parts of the page">
        {PARTS.map(([id, label]) => (
          <button key={id} type="button" aria-pressed={part === id} onClick={() => setPart(id)}>
            {label}
          </button>
        ))}
      </nav>
      <main class={`shows-${part}`}>
        {state && project && <Project state={state} projectId={project.id} />}
        {state && !project && <p class="empty">The emulator has no project. A client can create one.</p>}
      </main>
      <Notice outcome={outcome} onDismiss={dismiss} />
    </ActContext.Provider>
  );
}

function Project({ state, projectId }: { state: State; projectId: string }) {
  const endpoints = state.endpoints.filter(({ project_id }) => project_id === projectId);
  return (
    <>
      <Announcer key={projectId} state={state} endpoints={endpoints} />
      <div class="column">
        <Computes state={state} endpoints={endpoints} />
        <Operations key={projectId} state={state} projectId={projectId} />
      </div>
      <div class="column">
        <ByHand state={state} projectId={projectId} />
        <Timeline key={projectId} state={state} projectId={projectId} endpoints={endpoints} />
      </div>
    </>
  );
}

import { useState } from "preact/hooks";
import type { EndpointView } from "../model/change-types.js";
import { ComputeActions } from "./compute-actions.js";
import { CopyButton } from "./copy-button.js";
import type { State } from "./state.js";
import { isPending, lastActiveLabel, pendingLabel, sizeLabel, statusLabel, typeLabel } from "./words.js";

const SHOWN = 50;

/** The computes of a project, as the service's console presents them. */
export function Computes({ state, endpoints }: { state: State; endpoints: readonly EndpointView[] }) {
  const [shown, show] = useState(SHOWN);
  const more = endpoints.length - shown;
  return (
    <section class="panel computes" aria-labelledby="computes">
      <h2 id="computes" class="panel-title">
        Computes <span class="count">{endpoints.length}</span>
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by the keyboard */}
      <section class="scroll" aria-label="List of computes" tabIndex={0}>
        {endpoints.length === 0 && <p class="empty">This project has no compute.</p>}
        <ul class="cards">
          {endpoints.slice(0, shown).map((endpoint) => (
            <li key={endpoint.id}>
              <Compute endpoint={endpoint} state={state} />
            </li>
          ))}
        </ul>
        {more > 0 && (
          <button type="button" onClick={() => show(shown + SHOWN)}>
            Show more ({more})
          </button>
        )}
      </section>
    </section>
  );
}

function Compute({ endpoint, state }: { endpoint: EndpointView; state: State }) {
  const { operations, branches, time } = state;
  const pending = operations.filter((one) => one.endpoint_id === endpoint.id && isPending(one, time.nowMs));
  const status = statusLabel(endpoint);
  const doing = pendingLabel(endpoint, pending);
  const branch = branches.find(({ id }) => id === endpoint.branch_id);
  return (
    <article class="compute" aria-labelledby={`type-${endpoint.id}`}>
      <header>
        <h3 id={`type-${endpoint.id}`}>{typeLabel(endpoint)}</h3>
        <span class="name">
          <bdi>{endpoint.name}</bdi>
        </span>
        <p class="status">
          <span class={`pill ${status === "Active" ? "good" : "quiet"}`}>{status}</span>
          <span class="pending">{endpoint.disabled && doing === "" ? "disabled" : doing}</span>
        </p>
      </header>
      <dl>
        <div>
          <dt>Endpoint</dt>
          <dd class="code">{endpoint.id}</dd>
        </div>
        <div>
          <dt>Size</dt>
          <dd>{sizeLabel(endpoint)}</dd>
        </div>
        <div>
          <dt>Branch</dt>
          <dd>
            <bdi>{branch?.name ?? endpoint.branch_id}</bdi>
          </dd>
        </div>
        <div>
          <dt>Last active</dt>
          <dd>{lastActiveLabel(endpoint, time.nowMs)}</dd>
        </div>
        <div class="host">
          <dt>Host</dt>
          <dd>
            <bdi class="code">{endpoint.host}</bdi>
            <CopyButton text={endpoint.host} what="host" />
          </dd>
        </div>
      </dl>
      <ComputeActions endpoint={endpoint} />
    </article>
  );
}

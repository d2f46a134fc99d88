/** A script of your own: suspends every active compute of a project. Gives the ids of those it suspended. */
export async function suspendAll(url: string, key: string, projectId: string): Promise<string[]> {
  const call = async (method: string, path: string) => {
    const response = await fetch(`${url}/projects/${projectId}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}` },
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const { endpoints } = (await call("GET", "/endpoints")) as { endpoints: { id: string; current_state: string }[] };
  const active = endpoints.filter((endpoint) => endpoint.current_state === "active").map(({ id }) => id);
  for (const id of active) {
    const { operations } = (await call("POST", `/endpoints/${id}/suspend`)) as { operations: { id: string }[] };
    // The project takes no other change before this one is done.
    for (const operation of operations) await finished(() => call("GET", `/operations/${operation.id}`));
  }
  return active;
}

async function finished(look: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const { operation } = (await look()) as { operation: { status: string; error?: string } };
    if (operation.status === "finished") return;
    if (operation.status !== "running" && operation.status !== "scheduling") throw new Error(operation.error);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

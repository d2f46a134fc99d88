/**
 * What a page of another site tries, as scripts of that page: this program has no types of a browser. Each is the body of
 * an async function of `target`, the emulator's origin, and `fault`, a rule as JSON. It gives what it could read, and ""
 * where it could read nothing.
 */
export const ATTACKS: Record<string, string> = {
  "a POST of text/plain": `
    const answer = await fetch(target + "/_emulator/faults", { method: "POST", mode: "no-cors", body: fault });
    return answer.text();`,
  "a POST without a type": `
    const body = new Blob([fault]);
    const answer = await fetch(target + "/_emulator/faults", { method: "POST", mode: "no-cors", body });
    return answer.text();`,
  "a POST of application/json": `
    const headers = { "content-type": "application/json" };
    const answer = await fetch(target + "/_emulator/faults", { method: "POST", headers, body: fault });
    return answer.text();`,
  "a POST without a body": `
    const answer = await fetch(target + "/_emulator/time", { method: "POST", mode: "no-cors" });
    return answer.text();`,
  "a beacon": `
    navigator.sendBeacon(target + "/_emulator/faults", fault);
    return "";`,
  "a deletion": `
    const answer = await fetch(target + "/_emulator/endpoints/ep-amber-field-a5x7w3rt", { method: "DELETE" });
    return answer.text();`,
  "a deletion by hand": `
    const path = "/_emulator/api/projects/quiet-meadow-40718263/endpoints/ep-amber-field-a5x7w3rt";
    const answer = await fetch(target + path, { method: "DELETE" });
    return answer.text();`,
  "a restart by hand": `
    const path = "/_emulator/api/projects/quiet-meadow-40718263/endpoints/ep-amber-field-a5x7w3rt/restart";
    const answer = await fetch(target + path, { method: "POST", mode: "no-cors" });
    return answer.text();`,
  "a look at the changes": `
    const answer = await fetch(target + "/_emulator/changes");
    return answer.text();`,
  "the console page's script": `
    return new Promise((resolve) => {
      const script = document.createElement("script");
      script.onload = () => resolve("it was loaded");
      script.onerror = () => resolve("");
      script.src = target + "/console/console.js";
      document.body.append(script);
    });`,
  "the console page in a frame": `
    const frame = Object.assign(document.createElement("iframe"), { src: target + "/" });
    const loaded = new Promise((resolve) => { frame.onload = resolve; });
    document.body.append(frame);
    await loaded;
    return frame.contentDocument?.body.textContent ?? "";`,
  "the console page in a window": `
    const opened = open(target + "/", "_blank", "popup");
    if (!opened) return "";
    await new Promise((resolve) => setTimeout(resolve, 300));
    try { return opened.document.body.innerText; } catch { return ""; } finally { opened.close(); }`,
  "a look at the world": `
    const answer = await fetch(target + "/_emulator/world");
    return answer.text();`,
  "a blind look at the world": `
    const answer = await fetch(target + "/_emulator/world", { mode: "no-cors", credentials: "include" });
    return answer.text();`,
  "a form": `
    const frame = Object.assign(document.createElement("iframe"), { name: "target" });
    const form = Object.assign(document.createElement("form"), {
      action: target + "/_emulator/faults", method: "post", enctype: "text/plain", target: "target",
    });
    form.append(Object.assign(document.createElement("input"), {
      name: '{"operation":{"action":"', value: '","then":"never"}}',
    }));
    document.body.append(frame, form);
    const loaded = new Promise((resolve) => { frame.onload = resolve; });
    form.submit();
    await loaded;
    return frame.contentDocument?.body.textContent ?? "";`,
  "an image": `
    return new Promise((resolve) => {
      const image = new Image();
      image.onload = () => resolve("it was loaded");
      image.onerror = () => resolve("");
      image.src = target + "/_emulator/world";
    });`,
  "a script": `
    return new Promise((resolve) => {
      const script = document.createElement("script");
      script.onload = () => resolve("it was loaded");
      script.onerror = () => resolve("");
      script.src = target + "/_emulator/world";
      document.body.append(script);
    });`,
  "a socket": `
    return new Promise((resolve) => {
      const socket = new WebSocket(target.replace("http", "ws") + "/_emulator/world");
      socket.onopen = () => resolve("it was opened");
      socket.onerror = () => resolve("");
    });`,
  "a frame": `
    const frame = Object.assign(document.createElement("iframe"), { src: target + "/api/v2/projects" });
    const loaded = new Promise((resolve) => { frame.onload = resolve; });
    document.body.append(frame);
    await loaded;
    return frame.contentDocument?.body.textContent ?? "";`,
};

/** Opens an address in a frame and then in the window itself. */
export const OPENS = `
  document.body.append(Object.assign(document.createElement("iframe"), { src: address }));
  location.assign(address);`;

/** What a page of the emulator's own would do. */
export const OWN_PAGE = `
  const world = await (await fetch("/_emulator/world")).json();
  const headers = { "content-type": "application/json" };
  const body = '{"match":{},"then":{"status":500}}';
  const { status } = await fetch("/_emulator/faults", { method: "POST", headers, body });
  return { world, status };`;

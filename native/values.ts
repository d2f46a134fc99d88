// Property values on the wire. Pulumi wraps secret values. Here they are unwrapped, and `secrets` contains the names of their
// properties. A secret inside a property makes the whole property secret.

import { SECRET_SIGNATURE, SIGNATURE } from "../provider/rules/equality.js";
import { type JavaScriptValue, Struct } from "./grpc.js";

export type Props = Record<string, unknown>;

/** Properties, and which of them hold a secret. */
export interface Values {
  props: Props;
  secrets: ReadonlySet<string>;
}

export function valuesOf(struct: Struct | undefined): Values {
  const secrets = new Set<string>();
  const props: Props = {};
  for (const [name, value] of Object.entries(struct?.toJavaScript() ?? {})) {
    props[name] = unwrapped(value, () => secrets.add(name));
  }
  return { props, secrets };
}

/** @param secrets names of properties whose values go out as secrets */
export function structOf(props: object, secrets: ReadonlySet<string> = new Set()): Struct {
  const wire = Object.entries(props).map(([name, value]) => [
    name,
    secrets.has(name) ? { [SIGNATURE]: SECRET_SIGNATURE, value } : value,
  ]);
  // Through JSON, which drops undefined values.
  return Struct.fromJavaScript(JSON.parse(JSON.stringify(Object.fromEntries(wire))) as Record<string, JavaScriptValue>);
}

function unwrapped(value: unknown, onSecret: () => void): unknown {
  if (Array.isArray(value)) return value.map((one) => unwrapped(one, onSecret));
  if (value === null || typeof value !== "object") return value;
  const { [SIGNATURE]: signature, value: inner } = value as Props;
  if (signature === SECRET_SIGNATURE) {
    onSecret();
    return unwrapped(inner, onSecret);
  }
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, unwrapped(one, onSecret)]));
}

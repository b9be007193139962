import type { Act } from "../../fact/act.ts";
import { type DataEntry, scalarsOf } from "./data-node.ts";
import type { DataWriter } from "./data-writer.ts";

/** Reads what lets a container of a compose file, or of a Kubernetes manifest, out of its box. */
export function readComposeSetting(writer: DataWriter, entry: DataEntry, path: readonly string[]): void {
  const key = entry.key.toLowerCase();
  for (const scalar of scalarsOf(entry.value)) {
    const act = privilegeOf(key, scalar.text, path);
    if (act !== undefined) writer.addAct(act, entry.keyStart, scalar.end);
  }
}

function privilegeOf(key: string, text: string, path: readonly string[]): Act | undefined {
  const detail = `${key}: ${text}`.slice(0, 200);
  if (key === "privileged" && text === "true")
    return { type: "privilege", how: "privileged-container", detail };
  if (
    /docker\.sock/.test(text) &&
    (key === "volumes" || key === "source" || key === "path" || key === "mounts")
  ) {
    return { type: "privilege", how: "docker-socket", detail };
  }
  if (
    key === "volumes" &&
    /^(?:\/|~|\/(?:etc|root|home|var|boot)[^:]{0,80}):/.test(text) &&
    path.includes("services")
  ) {
    return /^(?:\/|~|\/(?:etc|root|home|boot)\/?):/.test(text)
      ? { type: "privilege", how: "host-mount", detail }
      : undefined;
  }
  if (key === "cap_add" && /^(?:ALL|SYS_ADMIN|SYS_MODULE|SYS_PTRACE)$/.test(text)) {
    return { type: "privilege", how: "capability", detail };
  }
  return undefined;
}

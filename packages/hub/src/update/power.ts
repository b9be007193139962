import type { PluginParts } from "../discover/plugin-parts.ts";
import type { CapabilityChange } from "./version-changes.ts";

/** Something that a version can do. */
export interface Power extends CapabilityChange {
  /** The key of a power that holds this one: whoever had that gains nothing by this. */
  readonly wider?: string;
}

/** One power, with its words for people. */
export function power(kind: CapabilityChange["kind"], value: string, verb: string): Power {
  return { kind, value, text: `${verb} ${value}` };
}

/** A server as a power; `where` says in which file, where that is not plain. */
export function serverPower(server: PluginParts["mcpServers"][number], where: string = ""): Power {
  const { name, command, url } = server;
  const said = [name, command ?? url].filter((part) => part !== undefined).join(": ");
  return power("mcpServers", `${said}${where}`, "brings the server");
}

/** What makes two powers the same. */
export function powerKey({ kind, value }: CapabilityChange): string {
  return JSON.stringify([kind, value]);
}

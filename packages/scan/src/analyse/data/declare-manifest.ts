import type { InstallSpec, Manifest } from "@skillet/core";
import type { DeclarationFact } from "../../fact/fact.ts";
import type { DataWriter } from "./data-writer.ts";

/** Writes down what a skill's header declares. */
export function declareManifest(writer: DataWriter, manifest: Manifest): void {
  const declare = (what: DeclarationFact["what"], value: string | undefined): void => {
    if (value === undefined || value.trim() === "") return;
    const [start, end] = placeOf(writer.source.text, value);
    writer.addDeclaration(what, value, start, end);
  };
  declare("name", manifest.name);
  declare("description", manifest.description);
  declare("homepage", manifest.homepage);
  for (const { name, hosts } of manifest.gating.env) {
    declare("environment", name);
    for (const host of hosts ?? []) declare("host", host);
  }
  declare("environment", manifest.gating.primaryEnv);
  for (const { url } of manifest.gating.mcp) declare("host", url);
  for (const command of [...manifest.gating.bins, ...manifest.gating.anyBins, ...manifest.gating.commands]) {
    declare("command", command);
  }
  for (const tool of manifest.tools.allowed) declare("tool", tool);
  for (const key of ["hosts", "domains", "network", "allowed_hosts", "allowed-hosts", "endpoints"]) {
    for (const host of hostList(manifest.extra[key] ?? manifest.metadata[key])) declare("host", host);
  }
  for (const install of manifest.install) declareInstall(writer, install);
}

const MAX_SEARCHED_CHARACTERS = 60;

function placeOf(text: string, value: string): readonly [number, number] {
  const start = text.indexOf(value.slice(0, MAX_SEARCHED_CHARACTERS).split("\n", 1)[0] ?? value);
  return start === -1 ? [0, Math.min(text.length, 200)] : [start, start + value.length];
}

function hostList(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value.slice(0, 100) : [value];
  return values.filter((host) => typeof host === "string" && /^[\w./:-]*\.[\w./:-]+$/.test(host)).map(String);
}

function declareInstall(writer: DataWriter, { kind, fields, bins }: InstallSpec): void {
  const field = (...names: readonly string[]): string | undefined =>
    names.map((name) => fields[name]).find((value) => typeof value === "string");
  const named = field("url", "download", "source", "archive");
  // `source: clawdhub` names a registry.
  const url = named !== undefined && /[./:]/.test(named) ? named : undefined;
  const command = field("command", "cmd", "shell", "script", "run");
  const target = url ?? command ?? field("package", "formula", "module", "crate", "name") ?? bins[0] ?? "";
  const [start, end] = placeOf(writer.source.text, target);
  if (url !== undefined || command !== undefined) {
    const hasChecksum = field("sha256", "sha512", "checksum", "integrity", "digest", "hash") !== undefined;
    const how = command === undefined ? "download" : "shell";
    writer.addDeclaration(
      "install",
      `${how}${hasChecksum ? " with checksum" : ""}: ${url ?? command}`,
      start,
      end,
    );
    if (command !== undefined) {
      writer.addText("shell", { kind: "scalar", text: command, isString: true, start, end, isBlock: false });
    }
    return;
  }
  const manager = MANAGERS.get(kind.toLowerCase()) ?? kind;
  if (target !== "") {
    const pinned = /@\d|==/.test(target);
    const name = target.replace(/(?<=.)@[^/]*$|[=<>~].*$/, "");
    writer.addAct({ type: "install-package", manager, name, from: "registry", pinned }, start, end);
  }
}

const MANAGERS: ReadonlyMap<string, string> = new Map([
  ["node", "npm"],
  ["uv", "pip"],
  ["python", "pip"],
]);

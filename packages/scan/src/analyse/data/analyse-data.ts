import { type InstallSpec, type Manifest, parseSkill } from "@skillet/core";
import type { DeclarationFact } from "../../fact/fact.ts";
import type { Language } from "../../file/file-kind.ts";
import { hostOf } from "../../host/classify-host.ts";
import type { SourceText } from "../../text/source-text.ts";
import type { Analysis, Span } from "../fact-writer.ts";
import { readCommandShapes } from "./command-shape.ts";
import {
  type DataEntry,
  type DataNode,
  type DataReading,
  DataWriter,
  entriesOf,
  firstScalar,
  scalarAt,
  scalarsOf,
  stringAt,
  valueAt,
  walkData,
} from "./data-node.ts";
import { isMcpServers, readAgentSetting, readMcpServers } from "./read-agent-settings.ts";
import {
  readCommands,
  readComposeSetting,
  readInjectedCommands,
  readUnitSetting,
  readWrittenFiles,
} from "./read-commands.ts";
import { readIndexes, readPackageJson, readPythonManifest, readRegistries } from "./read-dependencies.ts";
import { readProseValues } from "./read-prose-values.ts";
import { readPairs, readYaml } from "./read-yaml.ts";
import { readJson, readToml } from "./value-scanner.ts";

/** Settings in JSON, YAML, TOML and INI are read into the same tree. */
export function analyseData(source: SourceText): Analysis {
  if (source.language === "yaml" && source.medium === "frontmatter") return analyseFrontmatter(source);
  const reading = (READERS[source.language] ?? readPairs)(source.text);
  const writer = new DataWriter(source);
  const base = source.file.slice(source.file.lastIndexOf("/") + 1).toLowerCase();
  readShapes(writer, reading.root, base);
  if (reading.fault === undefined) return writer.analysis;
  readShapes(writer, readPairs(source.text).root, base);
  writer.texts.push({ ...source, language: "text" });
  if (reading.limit !== undefined) writer.unread(reading.limit);
  else if (isObeyed(source, base)) writer.unread(`it is no whole data: ${reading.fault}`);
  return writer.analysis;
}

const READERS: Partial<Readonly<Record<Language, (text: string) => DataReading>>> = {
  json: readJson,
  yaml: readYaml,
  toml: readToml,
};

function readShapes(writer: DataWriter, root: DataNode, base: string): void {
  // Thousands of versions and checksums of other projects, and no commands.
  if (LOCK_FILE.test(base)) return;
  if (base === "package.json" || isPackageShape(root)) readPackageJson(writer, root);
  const isPython = PYTHON_MANIFEST.test(base) || INDEX.test(writer.source.text);
  if (isPython) readPythonManifest(writer, root);
  if (base === "tasks.json") readEditorTasks(writer, root);
  walkData(root, {
    entry: (entry, path) => {
      if (isPython) readIndexes(writer, entry, path);
      if (/^(?:\.npmrc|\.yarnrc|\.yarnrc\.yml|bunfig\.toml)$/.test(base)) readRegistries(writer, entry);
      if (/\.(?:service|timer|desktop|socket)$/.test(base)) readUnitSetting(writer, entry);
      if (isMcpServers(entry, writer.source.file, path.length)) readMcpServers(writer, entry);
      readAgentSetting(writer, entry, path);
      // The commands of servers were read above, with their arguments.
      if (!path.some((key) => /^(?:mcpservers|mcp_servers|scripts)$/.test(key)))
        readCommands(writer, entry, path);
      readComposeSetting(writer, entry, path);
      readWrittenFiles(writer, entry, path);
      readAddresses(writer, entry);
      readUncheckedHost(writer, entry);
    },
  });
  readPullRequestTarget(writer, root);
  readInjectedCommands(writer, root);
  readCommandShapes(writer, root);
  readProseValues(writer, root);
}

/** A workflow that runs a stranger's proposed code with the repository's secrets and rights. */
function readPullRequestTarget(writer: DataWriter, root: DataNode): void {
  if (writer.source.medium !== "config" || valueAt(root, "jobs") === undefined) return;
  const at = writer.source.text.search(/\bpull_request_target\b/);
  if (at === -1 || !/\bref["']?:[^\n]{0,40}pull_request\.head\b/.test(writer.source.text)) return;
  const detail = "pull_request_target with the code of the pull request";
  writer.act({ type: "disable-protection", what: "approval", detail }, { from: at, to: at + 19 });
}

/** The addresses in a setting, without those that describe the file to its reader. */
function readAddresses(writer: DataWriter, { key, value }: DataEntry): void {
  if (writer.source.medium !== "config" || DESCRIBING.test(key)) return;
  for (const scalar of scalarsOf(value))
    if (/^https?:\/\/[^\s"'<>]{3,2000}$/i.test(scalar.text))
      writer.act({ type: "contact", url: scalar.text, host: hostOf(scalar.text) ?? "*" }, scalar);
}

/** A host whose certificate is not checked: any server that answers is accepted. */
function readUncheckedHost(writer: DataWriter, entry: DataEntry): void {
  if (writer.source.medium !== "config") return;
  const settings = entriesOf(entry.value);
  const host = settings.find(({ key }) => /^(?:host|hostname|server|url|endpoint)$/i.test(key));
  const check = settings.find(({ key }) => CERTIFICATE_CHECK.test(key));
  const [name] = scalarsOf(host?.value);
  const [off] = scalarsOf(check?.value);
  if (name === undefined || off?.text !== "false") return;
  const detail = `${check?.key}: false for https://${hostOf(name.text) ?? name.text}`;
  writer.act({ type: "disable-protection", what: "certificate-check", detail }, entry, off);
}

const CERTIFICATE_CHECK =
  /^(?:(?:tls|ssl|cert\w{0,10})[-_]?verify|verify(?:[-_]?(?:tls|ssl|cert\w{0,10}))?|strict[-_]?ssl|rejectUnauthorized)$/i;

const DESCRIBING =
  /^(?:\$?schema|\$id|homepage|repository|bugs|licen[cs]e|docs?|documentation|author|funding|resolved|readme|reference|source|see)/i;

const LOCK_FILE =
  /^(?:\.?package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|poetry\.lock|uv\.lock|cargo\.lock|composer\.lock|pipfile\.lock|bun\.lock|flake\.lock|deno\.lock)$/;
const PYTHON_MANIFEST = /^(?:pyproject\.toml|pipfile|setup\.cfg|pip\.conf|pip\.ini|uv\.toml|pdm\.toml)$/;

/** Whatever the file's name before it is copied to its place. */
const INDEX = /^\s{0,40}["']?(?:extra[-_])?index[-_]url["']?\s{0,8}[=:]/m;

/** A manifest under another name, or in a fence, takes effect as soon as it is copied. */
function isPackageShape(root: DataNode): boolean {
  const scripts = entriesOf(valueAt(root, "scripts"));
  const hasDependencies = valueAt(root, "dependencies")?.kind === "map";
  if (scripts.length === 0) return hasDependencies && valueAt(root, "version") !== undefined;
  return (
    scripts.every(({ value }) => value.kind === "scalar") &&
    (hasDependencies ||
      valueAt(root, "devDependencies") !== undefined ||
      scripts.some(({ key }) => /^(?:pre|post)?(?:install|start|build|test|prepare)$/.test(key)))
  );
}

// The programs that read manifests and settings are stricter or laxer than this: not understood is not harmless.
function isObeyed(source: SourceText, base: string): boolean {
  if (source.medium === "fence" || source.medium === "inline-code") return false;
  return /^(?:package\.json|\.?mcp(?:[-_.][\w.-]*)?\.json|settings(?:\.local)?\.json|tasks\.json|devcontainer\.json|plugin\.json|marketplace\.json|hooks\.json)$/.test(
    base,
  );
}

function readEditorTasks(writer: DataWriter, root: DataNode): void {
  const tasks = valueAt(root, "tasks");
  for (const task of tasks?.kind === "list" ? tasks.items : []) {
    const runOn = scalarAt(task, "runOptions", "runOn");
    const command = firstScalar(valueAt(task, "command") ?? task);
    if (runOn?.text !== "folderOpen" || command === undefined) continue;
    const words = [command.text, ...scalarsOf(valueAt(task, "args")).map(({ text }) => text)];
    writer.act({ type: "install-hook", hook: "folderOpen", command: words.join(" ") }, command);
  }
}

function analyseFrontmatter(source: SourceText): Analysis {
  const writer = new DataWriter(source);
  // Spaces instead of the `---` lines, so that offsets do not change.
  const header = source.text.replaceAll(/^(?:---|\+\+\+)[ \t]*$/gm, (fence) => " ".repeat(fence.length));
  const { root } = readYaml(header);
  if (/(?:^|\/)skill\.md$/i.test(source.file)) {
    const { manifest } = parseSkill(`---\n${header.trim()}\n---\n`);
    if (manifest !== undefined) declareManifest(writer, manifest);
    readClaims(writer, root);
  }
  readHeaderShapes(writer, root);
  return writer.analysis;
}

function readHeaderShapes(writer: DataWriter, root: DataNode): void {
  walkData(root, {
    entry: (entry, path) => {
      if (isMcpServers(entry, writer.source.file, path.length)) readMcpServers(writer, entry);
      readAgentSetting(writer, entry, path);
      readCommands(writer, entry, path);
    },
    scalar: (scalar) => {
      if (isJsonText(scalar.text)) writer.text("json", scalar);
      else if (CLAIM.test(scalar.text)) writer.text("markdown", scalar);
    },
  });
  readProseValues(writer, root);
}

// OpenClaw's block is often one line of JSON in quotes.
function isJsonText(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.startsWith("{") && trimmed.endsWith("}");
}

// A tag is too short to be prose, but a model still reads `admin_override`.
const CLAIM = /^\w{0,40}(?:override|bypass|backdoor)\w{0,40}$/i;

function declareManifest(writer: DataWriter, manifest: Manifest): void {
  const declare = (what: DeclarationFact["what"], value: string | undefined): void => {
    if (value === undefined || value.trim() === "") return;
    writer.declare(what, value, placeOf(writer.source.text, value));
  };
  declare("name", manifest.name);
  declare("description", manifest.description);
  declare("homepage", manifest.homepage);
  for (const host of manifest.gating.env.flatMap(({ hosts }) => hosts ?? [])) declare("host", host);
  for (const { url } of manifest.gating.mcp) declare("host", url);
  for (const key of ["hosts", "domains", "network", "allowed_hosts", "allowed-hosts", "endpoints"])
    for (const host of hostList(manifest.extra[key] ?? manifest.metadata[key])) declare("host", host);
  for (const install of manifest.install) declareInstall(writer, install);
}

const MAX_SEARCHED_CHARACTERS = 60;

function placeOf(text: string, value: string): Span {
  const from = text.indexOf(value.slice(0, MAX_SEARCHED_CHARACTERS).split("\n", 1)[0] ?? value);
  return from === -1 ? { from: 0, to: Math.min(text.length, 200) } : { from, to: from + value.length };
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
  const place = placeOf(writer.source.text, target);
  if (url !== undefined || command !== undefined) {
    const hasChecksum = field("sha256", "sha512", "checksum", "integrity", "digest", "hash") !== undefined;
    const how = command === undefined ? "download" : "shell";
    const value = `${how}${hasChecksum ? " with checksum" : ""}: ${url ?? command}`;
    writer.declare("install", value, place);
    if (command !== undefined) writer.text("shell", stringAt(command, place.from, place.to));
    return;
  }
  const manager = MANAGERS.get(kind.toLowerCase()) ?? kind;
  if (target !== "") {
    const pinned = /@\d|==/.test(target);
    const name = target.replace(/(?<=.)@[^/]*$|[=<>~].*$/, "");
    writer.act({ type: "install-package", manager, name, from: "registry", pinned }, place);
  }
}

const MANAGERS: ReadonlyMap<string, string> = new Map([
  ["node", "npm"],
  ["uv", "pip"],
  ["python", "pip"],
]);

function readClaims(writer: DataWriter, root: DataNode): void {
  for (const { keys, pattern, what } of SETTINGS) {
    for (const key of keys) {
      const scalar = scalarsOf(valueAt(root, key) ?? valueAt(root, "metadata", key))[0];
      if (scalar !== undefined && pattern.test(scalar.text))
        writer.declare(what, `${key}: ${scalar.text}`, scalar);
    }
  }
  readPermissions(writer, root);
  for (const description of scalarsOf(valueAt(root, "description"))) {
    for (const { pattern, what } of PROMISES) {
      const promise = pattern.exec(description.text)?.[0];
      if (promise !== undefined) writer.declare(what, promise, description);
    }
  }
}

/** A list of permissions that is empty, or only about files, excludes the network. */
function readPermissions(writer: DataWriter, root: DataNode): void {
  const entry = entriesOf(root).find(({ key }) => /^permissions$/i.test(key));
  if (entry?.value.kind !== "list") return;
  const asked = scalarsOf(entry.value);
  if (asked.length !== entry.value.items.length || !asked.every(({ text }) => FILES_ONLY.test(text))) return;
  const value = `permissions: ${asked.length === 0 ? "none" : asked.map(({ text }) => text).join(", ")}`;
  writer.declare("no-network", value, { from: entry.from, to: (asked.at(-1) ?? entry).to });
}

const FILES_ONLY =
  /^(?:(?:read|write|list|delete)(?:[:_. -](?:\w{1,20}[ _-])?(?:files?|fs|filesystem|disk|workspace|director(?:y|ies)))|(?:files?|fs|filesystem|disk|workspace)(?:[:_. -](?:read|write|list|delete|read[_-]?write))?)$/i;
const NO = /^(?:false|none|no|off|never|disabled|deny)$/i;
const YES = /^(?:true|yes|on)$/i;
const SETTINGS = [
  { keys: ["network", "internet", "network_access", "network-access"], pattern: NO, what: "no-network" },
  { keys: ["offline", "local_only", "local-only"], pattern: YES, what: "no-network" },
  { keys: ["read_only", "read-only", "readonly"], pattern: YES, what: "read-only" },
] as const;
const PROMISES = [
  {
    what: "no-network",
    pattern:
      /\b(?:no network (?:access|calls?|requests?|connections?)|without (?:any )?(?:network|internet)(?: access)?|(?:works?|runs?|operates?) (?:entirely |fully |completely |100% )?(?:offline|locally)(?! hosted| or)|no (?:data|information|file|code) (?:ever )?leaves|nothing leaves your|never (?:sends|uploads|transmits) (?:any )?(?:data|files|code)|no external (?:calls|requests|connections|network)|local[- ]only|fully offline|100% (?:local|offline))\b/i,
  },
  {
    what: "read-only",
    pattern:
      /\b(?:strictly read[- ]only|(?:is|are|operates?|works?) read[- ]only|read[- ]only (?:skill|tool|analysis|audit|scanner)|never (?:modifies|writes|changes|deletes) (?:any )?(?:files|data|anything))\b/i,
  },
] as const;

import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";
import { type DataNode, type DataReading, entriesOf, firstScalar, scalarsOf, valueAt } from "./data-node.ts";
import { DataWriter } from "./data-writer.ts";
import { customIndex } from "./python-requirement.ts";
import { readAgentSetting } from "./read-agent-settings.ts";
import { readCommandShapes } from "./read-command-shapes.ts";
import { readCommands } from "./read-commands.ts";
import { readComposeSetting } from "./read-compose-service.ts";
import { readInjectedCommands } from "./read-injected-commands.ts";
import { isMcpServers, readMcpServers } from "./read-mcp-servers.ts";
import { readPackageJson } from "./read-package-json.ts";
import { readPairs } from "./read-pairs.ts";
import { readProseValues } from "./read-prose-values.ts";
import { readPythonManifest } from "./read-python-manifest.ts";
import { readUnitFile } from "./read-unit-file.ts";
import { walkData } from "./walk-data.ts";

/** Sees what data means by its known shapes; what could not be read as data is handed on as plain text as well. */
export function analyseData(source: SourceText, reading: DataReading): Analysis {
  const writer = new DataWriter(source);
  const base = source.file.slice(source.file.lastIndexOf("/") + 1).toLowerCase();
  readShapes(writer, reading.root, base);
  if (reading.fault === undefined) return writer.finish();
  readShapes(writer, readPairs(source.text).root, base);
  writer.texts.push({ ...source, language: "text" });
  return writer.finish(
    reading.limit ?? (isObeyed(source, base) ? `it is no whole data: ${reading.fault}` : undefined),
  );
}

function readShapes(writer: DataWriter, root: DataNode, base: string): void {
  // Somebody else's versions and checksums, thousands of them, and no commands.
  if (LOCK_FILE.test(base)) return;
  if (base === "package.json" || isPackageShape(root)) readPackageJson(writer, root);
  if (PYTHON_MANIFEST.test(base)) readPythonManifest(writer, root);
  if (base === ".npmrc" || base === ".yarnrc" || base === ".yarnrc.yml" || base === "bunfig.toml") {
    readRegistries(writer, root);
  }
  if (/\.(?:service|timer|desktop|socket)$/.test(base)) readUnitFile(writer, root);
  if (base === "tasks.json") readEditorTasks(writer, root);
  walkData(root, {
    entry: (entry, path) => {
      if (isMcpServers(entry, writer.source.file, path.length)) readMcpServers(writer, entry);
      readAgentSetting(writer, entry, path);
      // Servers have had theirs, with its arguments.
      if (!path.some((key) => /^(?:mcpservers|mcp_servers|scripts)$/.test(key)))
        readCommands(writer, entry, path);
      readComposeSetting(writer, entry, path);
    },
  });
  readInjectedCommands(writer, root);
  readCommandShapes(writer, root);
  readProseValues(writer, root);
}

const LOCK_FILE =
  /^(?:\.?package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|poetry\.lock|uv\.lock|cargo\.lock|composer\.lock|pipfile\.lock|bun\.lock|flake\.lock|deno\.lock)$/;
const PYTHON_MANIFEST = /^(?:pyproject\.toml|pipfile|setup\.cfg|pip\.conf|pip\.ini|uv\.toml|pdm\.toml)$/;

/** A manifest under another name, or in a fence, is one copy away from being obeyed. */
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

// Manifests and settings are read by programs that are stricter, or laxer, than this: not understood is not harmless.
function isObeyed(source: SourceText, base: string): boolean {
  if (source.medium === "fence" || source.medium === "inline-code") return false;
  return /^(?:package\.json|\.?mcp(?:[-_.][\w.-]*)?\.json|settings(?:\.local)?\.json|tasks\.json|devcontainer\.json|plugin\.json|marketplace\.json|hooks\.json)$/.test(
    base,
  );
}

function readRegistries(writer: DataWriter, root: DataNode): void {
  walkData(root, {
    entry: ({ key, keyStart, value }) => {
      if (!/(?:^|:)(?:registry|npmregistryserver)$/i.test(key)) return;
      const url = scalarsOf(value)[0];
      const act = url === undefined ? undefined : customIndex("npm", key, url.text);
      if (act !== undefined && url !== undefined) writer.addAct(act, keyStart, url.end);
    },
  });
}

function readEditorTasks(writer: DataWriter, root: DataNode): void {
  const tasks = valueAt(root, "tasks");
  for (const task of tasks?.kind === "list" ? tasks.items : []) {
    const runOn = scalarsOf(valueAt(task, "runOptions", "runOn"))[0];
    const command = firstScalar(valueAt(task, "command") ?? task);
    if (runOn?.text !== "folderOpen" || command === undefined) continue;
    const words = [command.text, ...scalarsOf(valueAt(task, "args")).map(({ text }) => text)];
    writer.addAct(
      { type: "install-hook", hook: "folderOpen", command: words.join(" ") },
      command.start,
      command.end,
    );
  }
}

import type { Act } from "../../fact/fact.ts";
import { wordSet, words } from "../../word-list.ts";
import {
  type DataEntry,
  type DataNode,
  type DataScalar,
  type DataWriter,
  entriesOf,
  scalarAt,
  scalarsOf,
  valueAt,
} from "./data-node.ts";

export function readPackageJson(writer: DataWriter, root: DataNode): void {
  for (const entry of entriesOf(valueAt(root, "scripts"))) {
    const { key: hook, value } = entry;
    if (value.kind !== "scalar") continue;
    writer.text("shell", value);
    if (LIFECYCLE.has(hook)) writer.act({ type: "install-hook", hook, command: value.text }, entry, value);
  }
  for (const group of DEPENDENCY_GROUPS) {
    for (const entry of entriesOf(valueAt(root, group)).slice(0, MAX_DEPENDENCIES))
      if (entry.value.kind === "scalar")
        writer.act(npmDependency(entry.key, entry.value.text), entry, entry.value);
  }
}

/** Run by `npm install`, of the package itself or of one that depends on it. */
const LIFECYCLE: ReadonlySet<string> = wordSet(`
  preinstall install postinstall preprepare prepare postprepare prepublish dependencies
`);
const DEPENDENCY_GROUPS = words(`
  dependencies devDependencies optionalDependencies peerDependencies overrides resolutions
`);
const MAX_DEPENDENCIES = 500;

function npmDependency(name: string, spec: string): InstallPackage {
  const alias = /^npm:(@?[^@\s]{1,214})(?:@(.*))?$/.exec(spec);
  const target = alias?.[1] ?? name;
  const wanted = alias === null ? spec : (alias[2] ?? "");
  const from = originOf(wanted);
  return {
    type: "install-package",
    manager: "npm",
    name: target,
    from,
    pinned:
      from === "git" ? /#[0-9a-f]{40}$/.test(wanted) : /^=?v?\d+\.\d+\.\d+(?:[-+][\w.-]+)?$/.test(wanted),
    ...(from === "git" || from === "url" ? { url: wanted } : {}),
  };
}

function originOf(spec: string): "registry" | "git" | "url" | "local" {
  if (/^(?:git\+|git:|ssh:|github:|gitlab:|bitbucket:|gist:|git@)/i.test(spec)) return "git";
  if (/^https?:\/\/[^?#]*\.git(?:#|$)/i.test(spec)) return "git";
  if (/^https?:/i.test(spec)) return "url";
  if (/^(?:file:|link:|portal:|workspace:|\.{0,2}\/|~\/)/i.test(spec)) return "local";
  return /^[\w.-]+\/[\w.-]+(?:#.*)?$/.test(spec) ? "git" : "registry";
}

export function readPythonManifest(writer: DataWriter, root: DataNode): void {
  const groups = [valueAt(root, "project", "optional-dependencies"), valueAt(root, "dependency-groups")];
  const lists = [
    valueAt(root, "project", "dependencies"),
    valueAt(root, "build-system", "requires"),
    ...groups.flatMap(entriesOf).map(({ value }) => value),
  ];
  for (const scalar of lists.flatMap(scalarsOf)) {
    const act = pythonRequirement(scalar.text);
    if (act !== undefined) writer.act(act, scalar);
  }
  for (const table of NAMED_TABLES) readNamed(writer, valueAt(root, ...table));
}

export function readIndexes(writer: DataWriter, entry: DataEntry, path: readonly string[]): void {
  const { key, value } = entry;
  const isIndex = isIndexOption(key) || (key === "url" && /^(?:index|source)$/.test(path.at(-1) ?? ""));
  for (const scalar of isIndex ? scalarsOf(value) : []) addIndex(writer, "pip", entry, scalar);
}

export function readRegistries(writer: DataWriter, entry: DataEntry): void {
  if (!/(?:^|:)(?:registry|npmregistryserver)$/i.test(entry.key)) return;
  for (const scalar of scalarsOf(entry.value).slice(0, 1)) addIndex(writer, "npm", entry, scalar);
}

function addIndex(writer: DataWriter, manager: string, entry: DataEntry, url: DataScalar): void {
  const act = customIndex(manager, entry.key, url.text);
  if (act !== undefined) writer.act(act, entry, url);
}

/** Tables of `name = version`, in which a map may name a repository instead. */
const NAMED_TABLES = [
  ["tool", "poetry", "dependencies"],
  ["tool", "poetry", "dev-dependencies"],
  ["tool", "uv", "sources"],
  ["packages"],
  ["dev-packages"],
];

function readNamed(writer: DataWriter, table: DataNode | undefined): void {
  for (const entry of entriesOf(table)) {
    const { key: name, value } = entry;
    const git = scalarAt(value, "git");
    const url = git ?? scalarAt(value, "url");
    const version = value.kind === "scalar" ? value : scalarAt(value, "version");
    const pinned =
      url === undefined ? /^==?\s*\d/.test(version?.text ?? "") : valueAt(value, "rev") !== undefined;
    const from = git !== undefined ? "git" : url !== undefined ? "url" : "registry";
    const where = url !== undefined && { url: url.text };
    const act = { type: "install-package", manager: "pip", name, from, pinned, ...where } as const;
    writer.act(act, entry, url ?? version);
  }
}

type InstallPackage = Extract<Act, { type: "install-package" }>;

export function pythonRequirement(line: string): InstallPackage | undefined {
  const text = line.replace(/\s+#.*$/, "").trim();
  const editable = /^(?:-e|--editable)[ =]\s{0,8}(.+)$/.exec(text)?.[1] ?? text;
  const direct =
    /^(?:([A-Za-z0-9][\w.-]{0,100})(?:\[[^\]]{0,100}\])?\s{0,8}@\s{0,8})?((?:git|hg|svn|bzr)?\+?(?:https?|ssh|file):\/\/\S+)/.exec(
      editable,
    );
  if (direct !== null) {
    const url = direct[2] ?? "";
    const isGit = /^(?:git|hg|svn|bzr)\+/.test(url);
    return {
      type: "install-package",
      manager: "pip",
      name: direct[1] ?? url.replace(/^.*\/|\.git.*$|[#@].*$/g, ""),
      from: url.includes("file://") ? "local" : isGit ? "git" : "url",
      pinned: /@[0-9a-f]{40}\b|#sha256=/.test(url),
      url: url.replace(/^(?:git|hg|svn|bzr)\+/, ""),
    };
  }
  const named = /^([A-Za-z0-9][\w.-]{0,100})(?:\[[^\]]{0,100}\])?\s{0,8}(===?|~=|[<>]=?|!=|;|$)/.exec(text);
  const name = named?.[1];
  if (name === undefined) return undefined;
  return {
    type: "install-package",
    manager: "pip",
    name,
    from: "registry",
    pinned: (named?.[2] ?? "").startsWith("==") || named?.[2] === "===",
  };
}

export function isIndexOption(name: string): boolean {
  return /^(?:--|-i$)?(?:i|index-url|extra-index-url|index_url|extra_index_url|find-links|find_links|trusted-host|default-index)$/.test(
    name,
  );
}

export function customIndex(manager: string, option: string, url: string): InstallPackage | undefined {
  if (isPublicIndex(url) || !/^[a-z]+:\/\/|^[\w-]+(?:\.[\w-]+)+/i.test(url)) return undefined;
  return { type: "install-package", manager, name: option, from: "index", pinned: false, url };
}

export function isPublicIndex(url: string): boolean {
  return PUBLIC_INDEX.test(url);
}

const PUBLIC_INDEX =
  /^(?:https:\/\/)?(?:pypi\.org|files\.pythonhosted\.org|test\.pypi\.org|registry\.npmjs\.org|registry\.yarnpkg\.com|npm\.pkg\.github\.com|download\.pytorch\.org|pypi\.nvidia\.com|data\.pyg\.org|wheels\.vllm\.ai|pypi\.tuna\.tsinghua\.edu\.cn|mirrors\.aliyun\.com|registry\.npmmirror\.com|mirrors\.cloud\.tencent\.com|pypi\.doubanio\.com|pypi\.ngc\.nvidia\.com|npm\.jsr\.io)(?:\/|$)/;

import { type DataNode, entriesOf, scalarsOf, valueAt } from "./data-node.ts";
import type { DataWriter } from "./data-writer.ts";
import { customIndex, isIndexOption, pythonRequirement } from "./python-requirement.ts";
import { walkData } from "./walk-data.ts";

/** Reads pyproject.toml, Pipfile, setup.cfg and pip.conf: what they install, and from which index. */
export function readPythonManifest(writer: DataWriter, root: DataNode): void {
  const lists = [
    valueAt(root, "project", "dependencies"),
    valueAt(root, "build-system", "requires"),
    ...["project", "dependency-groups"].flatMap((table) =>
      entriesOf(
        table === "project" ? valueAt(root, "project", "optional-dependencies") : valueAt(root, table),
      ).map((entry) => entry.value),
    ),
  ];
  for (const scalar of lists.flatMap(scalarsOf)) {
    const act = pythonRequirement(scalar.text);
    if (act !== undefined) writer.addAct(act, scalar.start, scalar.end);
  }
  for (const table of NAMED_TABLES) readNamed(writer, valueAt(root, ...table));
  walkData(root, {
    entry: ({ key, keyStart, value }, path) => {
      const isIndex = isIndexOption(key) || (key === "url" && /^(?:index|source)$/.test(path.at(-1) ?? ""));
      for (const scalar of isIndex ? scalarsOf(value) : []) {
        const act = customIndex("pip", key, scalar.text);
        if (act !== undefined) writer.addAct(act, keyStart, scalar.end);
      }
    },
  });
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
  for (const { key: name, keyStart, value } of entriesOf(table)) {
    const git = scalarsOf(valueAt(value, "git"))[0];
    const url = git ?? scalarsOf(valueAt(value, "url"))[0];
    const version = value.kind === "scalar" ? value : scalarsOf(valueAt(value, "version"))[0];
    const isPinned =
      url === undefined ? /^==?\s*\d/.test(version?.text ?? "") : valueAt(value, "rev") !== undefined;
    writer.addAct(
      {
        type: "install-package",
        manager: "pip",
        name,
        from: git !== undefined ? "git" : url !== undefined ? "url" : "registry",
        pinned: isPinned,
        ...(url !== undefined && { url: url.text }),
      },
      keyStart,
      (url ?? version)?.end ?? keyStart + name.length,
    );
  }
}

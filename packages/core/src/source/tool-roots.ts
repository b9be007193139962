import { resolve, sep } from "node:path";
import { callInvalid } from "@skillet/kit/errors";
import { canonicalPath, isInside } from "@skillet/kit/files";

/**
 * Folders of this machine, relative to the workspace, and where the agent's tools see them. For an agent
 * whose sandbox has the workspace at `/workspace`: `{ ".": "/workspace" }`.
 */
export type ToolRoots = Readonly<Record<string, string>>;

/** How the agent's tools see a path of this machine; undefined if no given folder contains it. */
export type ToToolPath = (path: string) => string | undefined;

export function createToolRoots(given: ToolRoots, workspace: string): ToToolPath {
  const folders = Object.entries(given).flatMap(([host, tool]) => {
    if (typeof tool !== "string" || !/^(?:\/|[A-Za-z]:[\\/])/.test(tool))
      throw callInvalid(`\`toolRoot\` of ${JSON.stringify(host)}`, "an absolute path in the agent's sandbox");
    const shown = tool.replace(/[\\/]+$/, "");
    const folder = resolve(workspace, host);
    // Projects are found by their real paths, roots by the paths as given.
    return [...new Set([folder, canonicalPath(folder)])].map((path) => ({ path, shown }));
  });
  // If two folders contain a path, the inner one counts.
  folders.sort((left, right) => right.path.length - left.path.length);
  return (path) => {
    const holder = folders.find((folder) => isInside(path, folder.path));
    if (holder === undefined) return undefined;
    const rest = path.slice(holder.path.length).split(sep).join("/").replace(/^\/+/, "");
    return rest === "" ? holder.shown || "/" : `${holder.shown}/${rest}`;
  };
}

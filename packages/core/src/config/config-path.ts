import { join } from "node:path";

/** Where the user's own config file lies. */
export function configPath(home: string): string {
  return join(home, "config.yaml");
}

/** Where a project's config file lies. */
export function projectConfigPath(projectRoot: string): string {
  return join(projectRoot, ".skillet", "config.yaml");
}

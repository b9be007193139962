import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { type LoadConfigOptions, type LoadedConfig, loadConfig } from "../load-config.ts";

/** Folders for one test: an organisation's, a user's with Skillet's home in it, and a project's. */
export interface ConfigPlace {
  readonly root: string;
  readonly userHome: string;
  readonly home: string;
  readonly projectRoot: string;
  readonly organisationFile: string;
  readonly userFile: string;
  readonly projectFile: string;
  organisation(text: string): void;
  user(text: string): void;
  project(text: string): void;
  load(options?: Partial<LoadConfigOptions>): LoadedConfig;
}

export function createPlace(): ConfigPlace {
  const root = temporaryDirectory();
  const userHome = join(root, "user");
  const home = join(userHome, ".skillet");
  const projectRoot = join(root, "project");
  const files = {
    organisationFile: join(root, "org/config.yaml"),
    userFile: join(home, "config.yaml"),
    projectFile: join(projectRoot, ".skillet/config.yaml"),
  };
  const write = (file: string) => (text: string) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const options: LoadConfigOptions = {
    home,
    userHome,
    organisationDirectory: join(root, "org"),
    workspaceRoot: projectRoot,
    projectTrusted: false,
    environment: {},
  };
  return {
    root,
    userHome,
    home,
    projectRoot,
    ...files,
    organisation: write(files.organisationFile),
    user: write(files.userFile),
    project: write(files.projectFile),
    load: (changes) => loadConfig({ ...options, ...changes }),
  };
}

export function attempt(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}

export function failureOf(action: () => unknown): SkilletError {
  const error = attempt(action);
  if (!SkilletError.isInstance(error)) throw new Error(`expected a SkilletError, but got ${String(error)}`);
  return error;
}

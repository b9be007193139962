import { join } from "node:path";
import { createUseDetector, type Session } from "@skillet/core";
import { isInside } from "@skillet/kit/files";
import { fieldOf, textOf } from "@skillet/kit/json";
import { refuseNativeSkills } from "./bind/bind-session.ts";
import { openVerifiedFolder, type VerifiedFolder } from "./verified-folder.ts";

/** Sends a request to Codex's app server, and returns its result. */
export type CodexRequest = (method: string, params: object) => Promise<unknown>;

/** Skills in Codex. */
export interface CodexSkills {
  /** Skills that cannot be given to Codex as they were judged, and why. */
  readonly leftOut: VerifiedFolder["leftOut"];
  /** Shows the skills to an initialized app server; refuses one with skills of its own for these folders. */
  attach(request: CodexRequest, options?: { readonly cwds?: readonly string[] }): Promise<void>;
  /** Records the skills that a command used; pass every notification of the app server. */
  observe(notification: { readonly method: string; readonly params?: unknown }): Promise<void>;
  /** Picks up changed skills; Codex notices that the folder has changed. */
  refresh(): Promise<void>;
  /** Removes the copies. */
  close(): Promise<void>;
}

/**
 * Skills for Codex's app server: a folder of verified copies as an extra root; no file of Codex is edited.
 *
 * @example
 * const skills = await codex(session);
 * await skills.attach((method, params) => connection.request(method, params));
 */
export async function codex(session: Session): Promise<CodexSkills> {
  // Codex shows a model every skill, so skills for users alone stay out.
  const folder = await openVerifiedFolder(session, { sources: ["model"] });
  const root = join(folder.path, "skills");
  return {
    leftOut: folder.leftOut,
    attach: async (request, { cwds = [] } = {}) => {
      const listed = await request("skills/list", { cwds, forceReload: true });
      refuseNativeSkills(findNativeSkills(listed, root));
      await request("skills/extraRoots/set", { extraRoots: [root] });
    },
    observe: async ({ method, params }) => {
      const item = fieldOf(params, "item");
      const command = textOf(item, "command");
      if (method !== "item/completed" || command === undefined) return;
      const detector = createUseDetector(Array.from(folder.skills.values(), ({ skill }) => skill));
      const calledBy = { host: "codex", callId: textOf(item, "id") };
      await session.observe(
        { kind: "command", command, cwd: textOf(item, "cwd") ?? "/" },
        { calledBy, detector },
      );
    },
    refresh: async () => {
      await session.refresh();
      await folder.update();
    },
    close: async () => folder.close(),
  };
}

/** A skill that Codex would load by itself: from the user, a project, a plugin or its makers. */
function findNativeSkills(listed: unknown, root: string): string | undefined {
  const { data } = listed as { data: { skills?: { name: string; path: string; enabled: boolean }[] }[] };
  const all = data.flatMap(({ skills = [] }) => skills);
  const native = all.find(({ enabled, path }) => enabled && !isInside(path, root));
  return native && `Codex's own skill ${native.name}, at ${native.path},`;
}

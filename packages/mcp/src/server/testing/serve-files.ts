import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type OpenSkillsOptions, openSkills, type Skills } from "@skillet/core";
import { onTestFinished } from "vitest";
import type { Connection } from "../connection.ts";
import { createSkillServer, type ServeOptions } from "../skill-server.ts";

export type Files = Readonly<Record<string, string | Uint8Array>>;

export function skillText(name: string, body = "Do it.", header = ""): string {
  return `---\nname: ${name}\ndescription: Does ${name}.\n${header}---\n${body}\n`;
}

export function writeFiles(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** Opens skills in a real folder, isolated from this machine's skills and configuration. */
export async function openFiles(
  files: Files,
  options: OpenSkillsOptions = {},
): Promise<{ skills: Skills; folder: string }> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "skillet-mcp-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, "skills");
  writeFiles(folder, files);
  const skills = await openSkills({
    home: join(home, "skillet"),
    userHome: home,
    workspace: home,
    environment: {},
    config: false,
    organisationDirectory: false,
    bundledDirectory: false,
    cacheDirectory: false,
    roots: [folder],
    ...options,
  });
  onTestFinished(() => skills.close());
  return { skills, folder };
}

let nextId = 0;

export function request(method: string, params: object = {}): Record<string, unknown> {
  nextId += 1;
  return { jsonrpc: "2.0", id: nextId, method, params };
}

/** A request of the revision without a handshake. */
export function modern(method: string, params: object = {}): Record<string, unknown> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return request(method, { ...params, _meta });
}

/** A server over files, one connection to it, and the messages that it sent unasked. */
export async function serveFiles(
  files: Files,
  options: ServeOptions & { readonly open?: OpenSkillsOptions } = {},
): Promise<{
  skills: Skills;
  folder: string;
  sent: { method: string; params?: object }[];
  connection: Connection;
  connect: () => Connection;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  ask: (method: string, params?: object) => Promise<any>;
}> {
  const { open, ...serve } = options;
  const { skills, folder } = await openFiles(files, open);
  const server = await createSkillServer(skills, { watch: false, ...serve });
  onTestFinished(() => server.close());
  const sent: { method: string; params?: object }[] = [];
  const connect = (): Connection => server.connect((message) => sent.push(message as { method: string }));
  const connection = connect();
  const ask = async (method: string, params?: object) => connection.handle(request(method, params));
  return { skills, folder, sent, connection, connect, ask };
}

import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export const SKILL = "---\nname: pdf\ndescription: Fills forms.\nmetadata:\n  level: 2\n---\nFill it.\n";
export const FORMS = "Forms.\n";

export function resource(path: string, content: string): { uri: string; digest: string; size: number } {
  const digest = `sha256:${createHash("sha256").update(content).digest("hex")}`;
  return { uri: `skill://pdf/${path}`, digest, size: Buffer.byteLength(content) };
}

export const ENTRY: {
  readonly uri: string;
  readonly frontmatter: object;
  readonly resources: readonly ReturnType<typeof resource>[];
} = {
  uri: "skill://pdf/SKILL.md",
  frontmatter: { name: "pdf", description: "Fills forms.", metadata: { level: 2 } },
  resources: [resource("SKILL.md", SKILL), resource("references/forms.md", FORMS)],
};

export interface Lies {
  readonly pages?: readonly (readonly unknown[])[];
  readonly files?: Readonly<Record<string, string>>;
  readonly isOld?: boolean;
  readonly ttlMs?: number;
  readonly capabilities?: object;
  /** Answers a request for a file. */
  readonly onRead?: (response: ServerResponse, request: IncomingMessage) => void;
  /** May answer any request; returns whether it did. */
  readonly onRequest?: (
    method: string,
    response: ServerResponse,
    request: IncomingMessage & { readonly messageId?: number },
  ) => boolean;
}

/** A server that says what the test wants, and records what it was asked. */
export async function startLying(lies: Lies = {}): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const capabilities = lies.capabilities ?? {
    resources: {},
    extensions: { "io.modelcontextprotocol/skills": {} },
  };
  const pages = lies.pages ?? [[ENTRY]];
  const files: Readonly<Record<string, string>> = lies.files ?? {
    "skill://pdf/SKILL.md": SKILL,
    "skill://pdf/references/forms.md": FORMS,
  };
  const answer = (method: string, params: { uri?: string; cursor?: string }): object | undefined => {
    if (method === "server/discover") return lies.isOld ? undefined : { capabilities };
    if (method === "initialize") return { protocolVersion: "2025-11-25", capabilities };
    if (method === "skills/list") {
      const page = Number(params.cursor ?? 0);
      const next = page + 1 < pages.length ? { nextCursor: String(page + 1) } : {};
      return { skills: pages[page], ttlMs: lies.ttlMs ?? 60_000, cacheScope: "private", ...next };
    }
    if (method === "skills/get") {
      const skill = pages.flat().find((one) => (one as { uri?: string }).uri === params.uri);
      return skill === undefined ? undefined : { skill, ttlMs: 0, cacheScope: "private" };
    }
    const text = files[params.uri ?? ""];
    return text === undefined ? undefined : { contents: [{ uri: params.uri, text }] };
  };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { id, method, params = {} } = JSON.parse(body);
    asked.push(method === "resources/read" ? `${method} ${params.uri}` : method);
    if (lies.onRequest?.(method, response, Object.assign(request, { messageId: id })) === true) return;
    if (method === "resources/read" && lies.onRead !== undefined) return lies.onRead(response, request);
    const result = answer(method, params);
    const error = { code: method === "skills/get" ? -32602 : -32601, message: "no" };
    const message = { jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) };
    response.writeHead(id === undefined ? 202 : 200, { "content-type": "application/json" });
    response.end(id === undefined ? undefined : JSON.stringify(message));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, asked };
}

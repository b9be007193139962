import { asObject, fieldOf, textOf } from "@skillet/kit/json";
import type { BoundSession } from "../bind/bind-session.ts";

interface Transport {
  onmessage?: ((message: object) => void) | undefined;
  onclose?: (() => void) | undefined;
  start(): Promise<void>;
  send(message: object): Promise<void>;
}

/**
 * The skill tools that run scripts as an MCP server in this process, which connects Claude Code to the
 * session's sandbox; without MCP's own SDK, of which it needs three methods. Undefined if there are none.
 */
export function scriptServer(bound: BoundSession, isApproved: (id: string) => boolean): object | undefined {
  const tools = bound.tools.filter(({ kind }) => kind === "script" || kind === "skill");
  if (tools.length === 0) return undefined;
  const running = new Map<unknown, AbortController>();
  const callTool = async (id: unknown, params: unknown): Promise<object> => {
    const callId = textOf(fieldOf(params, "_meta"), "claudecode/toolUseId");
    const call = { name: textOf(params, "name") ?? "", input: fieldOf(params, "arguments"), callId };
    const stop = new AbortController();
    running.set(id, stop);
    try {
      const how = { signal: stop.signal, isApproved: isApproved(callId ?? "") };
      const { text, isError } = await bound.execute(call, how);
      return { content: [{ type: "text", text }], isError };
    } catch (error) {
      if (!stop.signal.aborted) throw error;
      return { content: [{ type: "text", text: "The script was stopped." }], isError: true };
    } finally {
      running.delete(id);
    }
  };
  const answer = async (id: unknown, method: string, params: unknown): Promise<object> => {
    if (method === "tools/call") return callTool(id, params);
    // Otherwise Claude Code hides them until the model searches for them, and it would use Bash instead.
    if (method === "tools/list")
      return { tools: tools.map((tool) => ({ ...tool, _meta: { "anthropic/alwaysLoad": true } })) };
    if (method !== "initialize") return {};
    const serverInfo = { name: "skillet", version: "1.0.0" };
    return { protocolVersion: textOf(params, "protocolVersion"), capabilities: { tools: {} }, serverInfo };
  };
  const connect = async (transport: Transport): Promise<void> => {
    transport.onclose = () => {
      for (const stop of running.values()) stop.abort();
    };
    transport.onmessage = async (message) => {
      const { id, params } = asObject(message) ?? {};
      const method = textOf(message, "method") ?? "";
      if (method === "notifications/cancelled") running.get(fieldOf(params, "requestId"))?.abort();
      if (id !== undefined)
        await transport.send({ jsonrpc: "2.0", id, result: await answer(id, method, params) });
    };
    await transport.start();
  };
  return { type: "sdk", name: "skillet", instance: { connect } };
}

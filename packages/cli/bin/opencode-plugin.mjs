// Hooks of OpenCode, which loads a plugin instead of starting commands: each event is answered as for other agents.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const LAUNCHER = fileURLToPath(new URL("./load-bundle.cjs", import.meta.url));
const TIMEOUT_MS = 30_000;

/** Makes the plugin; `node` is the program that runs Skillet, since OpenCode runs on another. */
export const createPlugin =
  (node) =>
  async ({ directory, client }) => {
    const begun = new Set();
    const compacted = new Set();
    const commands = new Map();
    const roots = new Map();

    /** A subagent works in a session of its own, in which what its parent loaded still narrows. */
    const rootOf = async (id) => {
      const { data } = roots.has(id) ? {} : await client.session.get({ path: { id } }).catch(() => ({}));
      if (data !== undefined) roots.set(id, data.parentID ? await rootOf(data.parentID) : id);
      return roots.get(id) ?? id;
    };

    const send = async (event, session_id, input) => {
      const answer = await ask([node, LAUNCHER, "opencode", event], { session_id, cwd: directory, ...input });
      if (answer.notice !== undefined)
        await client.tui
          .showToast({ body: { message: answer.notice, variant: "warning" } })
          .catch(() => false);
      if (answer.decision !== undefined) throw new Error(answer.reason);
      return answer.context ?? "";
    };

    const call = async (event, { tool, sessionID }, args) =>
      send(event, await rootOf(sessionID), { tool_name: tool, tool_input: args });

    return {
      event: async ({ event: { type, properties } }) => {
        const { id, parentID } = properties.info ?? {};
        if (type === "session.compacted") compacted.add(properties.sessionID);
        if (type !== "session.deleted") return;
        roots.delete(id);
        if (!parentID) await send("session.deleted", id, {});
      },
      "command.execute.before": async ({ command, sessionID, arguments: rest }) => {
        commands.set(sessionID, `/${command} ${rest}`);
      },
      "chat.message": async ({ sessionID }, { message, parts }) => {
        if ((await rootOf(sessionID)) !== sessionID) return;
        const typed = parts.filter(({ type, synthetic }) => type === "text" && !synthetic);
        const prompt = commands.get(sessionID) ?? typed.map(({ text }) => text).join("\n");
        commands.delete(sessionID);
        const texts = [];
        const source = compacted.delete(sessionID) ? "compact" : begun.has(sessionID) ? undefined : "startup";
        begun.add(sessionID);
        if (source !== undefined) texts.push(await send("session.created", sessionID, { source }));
        texts.push(await send("chat.message", sessionID, { prompt }));
        const text = texts.filter((one) => one !== "").join("\n");
        const id = `${parts.at(-1)?.id ?? "prt_"}z`;
        if (text !== "")
          parts.push({ id, sessionID, messageID: message.id, type: "text", text, synthetic: true });
      },
      "tool.execute.before": async (input, { args }) => {
        await call("tool.execute.before", input, args);
      },
      "tool.execute.after": async (input) => {
        await call("tool.execute.after", input, input.args);
      },
    };
  };

/** The answer; none where Skillet cannot be started, as for a command of other agents that fails. */
function ask([program, ...words], input) {
  return new Promise((resolve) => {
    const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"], timeout: TIMEOUT_MS });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
    child.on("error", () => resolve({}));
    child.on("close", () => resolve(parse(text)));
    // It does not read an input that is too long to its end, and answers all the same.
    child.stdin.on("error", () => undefined);
    child.stdin.end(JSON.stringify(input));
  });
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

// A server on which many people talk to an agent, each with a folder, a session and permissions of their own.
// Usage: USERS='{"TOKEN":{"name":"ada","allow":["Write(notes/**)"]}}' node http-server/server.ts BASE_URL FOLDER [PORT]
// Then: curl -H 'authorization: Bearer TOKEN' -d '{"message":"hello"}' http://127.0.0.1:PORT/

import { createHash } from "node:crypto";
import { mkdirSync, realpathSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import {
  type Agent,
  createPermissions,
  fileTools,
  openAgent,
  openModel,
  openTranscript,
} from "@skillet/agent";
import { openSkills } from "@skillet/core";
import { createVetter } from "@skillet/scan";

interface User {
  /** Also the name of their folder: it comes from you, not from them. */
  readonly name: string;
  /** What may be done: there is no one to ask here, so every other call is refused. */
  readonly allow: readonly string[];
}

const [endpoint = "", folder = "", port = "0"] = process.argv.slice(2);
const MAX_BODY_BYTES = 64 * 1024;
const MAX_OPEN = 100; // conversations in memory; the others go on from their files

const digest = (token: string): string => createHash("sha256").update(token).digest("hex");
const given: Record<string, User> = JSON.parse(process.env.USERS ?? "{}");
const users = new Map(Object.entries(given).map(([token, user]) => [digest(token), user]));

const skills = await openSkills({ roots: ["skills"], vetter: createVetter() }); // read once, for everyone
const model = openModel({
  protocol: "openai",
  endpoint,
  model: process.env.MODEL ?? "gpt-5",
  apiKey: process.env.OPENAI_API_KEY,
});

interface Conversation {
  readonly agent: Promise<Agent>;
  /** The answer before: a person's messages are answered one after the other. */
  last: Promise<unknown>;
  waiting: number;
}
const conversations = new Map<string, Conversation>();

async function openFor({ name, allow }: User): Promise<Agent> {
  const files = join(folder, name, "files");
  mkdirSync(files, { recursive: true });
  const workspace = realpathSync(files);
  const permissions = createPermissions({ workspace, allow });
  const transcript = await openTranscript(join(folder, name, "conversation.jsonl"));
  // What a skill narrows, what was loaded and what is on record belong to this session, and so to this person.
  const session = await skills.session({
    projectDirectory: workspace,
    interactive: false,
    hostTools: ["delegate"],
  });
  return openAgent({
    session,
    model,
    tools: fileTools({ workspace, permissions }),
    transcript,
  });
}

async function conversationOf(user: User): Promise<Conversation> {
  const found = conversations.get(user.name);
  const conversation = found ?? { agent: openFor(user), last: Promise.resolve(), waiting: 0 };
  conversation.waiting += 1;
  // What could not be opened is tried again with the next message.
  if (found === undefined) conversation.agent.catch(() => conversations.delete(user.name));
  // The newest comes last.
  conversations.delete(user.name);
  conversations.set(user.name, conversation);
  const [oldest] = [...conversations].filter(([, { waiting }]) => waiting === 0);
  if (conversations.size > MAX_OPEN && oldest !== undefined && oldest[1] !== conversation) {
    // Its file is free again before its owner can open it once more.
    oldest[1].last = oldest[1].agent
      .then((agent) => agent.close())
      .finally(() => conversations.delete(oldest[0]));
    await oldest[1].last;
  }
  return conversation;
}

async function answer(user: User, message: string, signal: AbortSignal): Promise<object> {
  const conversation = await conversationOf(user);
  const turn = conversation.last.then(async () => (await conversation.agent).send(message, { signal }));
  conversation.last = turn.catch(() => undefined);
  try {
    const { text, use, isUnfinished } = await turn;
    return { text, tokens: use, isUnfinished };
  } finally {
    conversation.waiting -= 1;
  }
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<[number, object]> {
  const [, token = ""] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "") ?? [];
  const user = users.get(digest(token));
  if (user === undefined) return [401, { error: "Send your token: Authorization: Bearer TOKEN" }];
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return [413, { error: `A message has at most ${MAX_BODY_BYTES} bytes` }];
    chunks.push(chunk);
  }
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
  const message = (body as { readonly message?: unknown } | null)?.message;
  if (typeof message !== "string") return [400, { error: 'Send {"message": "…"}' }];
  const stop = new AbortController();
  response.on("close", () => stop.abort()); // a person who goes away does not go on paying
  return [200, await answer(user, message, stop.signal)];
}

const server = createServer(async (request, response) => {
  const [status, body] = await handle(request, response).catch((error: unknown): [number, object] => {
    if (error instanceof SyntaxError) return [400, { error: "That is not JSON" }];
    console.error(error); // names files and servers of yours: for your log, not for the person
    return [502, { error: "The agent could not answer. Try again later." }];
  });
  response.writeHead(status, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify(body));
});
server.listen(Number(port), "127.0.0.1", () => console.log(JSON.stringify(server.address())));

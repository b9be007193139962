import { describe } from "vitest";
import { plain } from "../../packages/adapters/src/plain.ts";
import type { Step } from "../examples/scripted-model.ts";
import { type Conversation, contract, type SeenRequest, type StartOptions } from "./contract.ts";

/** A loop as one would write it over a model API. */
async function start({ session, tools: own, sendFiles, native }: StartOptions): Promise<Conversation> {
  const names = [...own.map(({ name }) => name), ...(native === undefined ? [] : [native])];
  const skills = await plain(session, { tools: names });
  const requests: SeenRequest[] = [];
  const messages: string[] = [];
  const ask = (step: Step | undefined): Step => {
    const tools = [
      ...own.map(({ name }) => ({ name })).sort((one, other) => (one.name < other.name ? -1 : 1)),
      ...skills.tools,
    ];
    requests.push({
      system: `Be brief.\n\n${skills.instructions}`,
      tools: tools.map((tool) => ({ name: tool.name, json: JSON.stringify(tool) })),
      messages: [...messages],
    });
    return step ?? "There is nothing left to say.";
  };
  return {
    requests,
    refresh: async () => {
      const text = await skills.refresh();
      if (text !== undefined) messages.push(text);
    },
    compacted: () => skills.compacted(),
    say: async (message, steps, { signal, answer, onShown } = {}) => {
      await skills.beginTurn();
      messages.push(message);
      const results: string[] = [];
      const waiting = [...steps];
      for (let step = ask(waiting.shift()); typeof step !== "string"; step = ask(waiting.shift()))
        for (const [index, { name, input }] of step.entries()) {
          const how = {
            callId: `call_${requests.length}_${index}`,
            signal,
            onOutput: (_: unknown, bytes: Uint8Array) => onShown?.(Buffer.from(bytes).toString()),
          };
          let result = await skills.call(name, input, how);
          if (result?.question !== undefined && answer?.({ name, reason: result.question.reason }))
            result = await skills.call(name, input, { ...how, isApproved: true });
          let { text = "" } = result ?? {};
          if (result === undefined) {
            const response = await own.find((tool) => tool.name === name)?.run(input);
            const said = await skills.called(name, input, response);
            text = [response, said].filter(Boolean).join("\n");
          }
          const files = (result?.parts ?? []).flatMap((part) =>
            part.type === "file" && sendFiles ? [Buffer.from(part.data).toString("base64")] : [],
          );
          results.push(text);
          messages.push([text, ...files].join("\n"));
        }
      return results;
    },
  };
}

describe("plain", () =>
  contract({
    host: "plain",
    natives: ["load_skill", "use_skill"],
    start,
    leftOut: { "13b": "its calls throw at once" },
  }));

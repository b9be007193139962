import type { StreamApi } from "./serve-stream.ts";

interface Body {
  readonly systemInstruction?: unknown;
  readonly tools?: readonly { readonly functionDeclarations?: readonly { readonly name: string }[] }[];
  readonly contents?: readonly {
    readonly parts?: readonly {
      readonly functionResponse?: {
        readonly response: { readonly output?: string; readonly error?: string };
      };
    }[];
  }[];
}

/** The `streamGenerateContent` of Google's Gemini API. */
export const gemini: StreamApi<Body> = {
  isGeneration: (url) => /:(?:streamG|g)enerateContent\b/.test(url),
  isMain: ({ tools = [] }) => tools.length > 0,
  see: ({ systemInstruction, tools = [], contents = [] }) => ({
    tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
    text: JSON.stringify([systemInstruction, contents]),
    results: contents
      .flatMap(({ parts = [] }) => parts)
      .flatMap(({ functionResponse }) => (functionResponse === undefined ? [] : [functionResponse.response]))
      .map(({ output = "", error = output }) => error),
  }),
  *events(step) {
    const parts =
      typeof step === "string"
        ? [{ text: step }]
        : step.map(({ name, input }) => ({ functionCall: { name, args: input } }));
    const candidate = { index: 0, content: { role: "model", parts }, finishReason: "STOP" };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    yield ["", { candidates: [candidate], usageMetadata, modelVersion: "scripted" }];
  },
};

import { readBoundedBody } from "@skillet/kit/network";

/** The longest answer that is read; a verdict and a few sentences take a hundredth. */
const MAX_ANSWER_BYTES = 256 * 1024;

/** The text of a chat completion, or a clause that says why there is none. */
export async function readChoice(
  response: Response,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  if (!response.ok) {
    await response.body?.cancel();
    return { problem: `the endpoint answered with status ${response.status}` };
  }
  const bytes = await readBoundedBody(response, { maxBytes: MAX_ANSWER_BYTES });
  if (bytes === undefined) return { problem: `the answer is longer than ${MAX_ANSWER_BYTES} bytes` };
  const content = contentOf(bytes);
  return content === undefined ? { problem: "the answer is no chat completion" } : { text: content };
}

function contentOf(bytes: Buffer): string | undefined {
  try {
    const value = JSON.parse(bytes.toString("utf8")) as Partial<ChatCompletion> | null;
    const content = value?.choices?.[0]?.message?.content;
    return typeof content === "string" ? content : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

interface ChatCompletion {
  readonly choices: readonly (
    | { readonly message?: { readonly content?: unknown } | undefined }
    | undefined
  )[];
}

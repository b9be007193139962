import { callInvalid } from "@skillet/kit/errors";

/** Refuses what is no message. */
export function checkMessage(message: string): void {
  if (typeof message !== "string") throw callInvalid("The message", "a text");
}

/** Refuses what is no conversation; a single text would be read letter by letter. */
export function checkConversation(conversation: readonly string[]): void {
  if (!Array.isArray(conversation) || conversation.some((message) => typeof message !== "string"))
    throw callInvalid("The conversation", "a list of texts, the newest last");
}

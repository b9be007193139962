import { unseenAsText } from "./unseen-as-text.ts";

/** A text from a skill as text of a page, in element content and in quoted attributes alike. */
export function escapeHtml(text: string): string {
  return unseenAsText(text).replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? "");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

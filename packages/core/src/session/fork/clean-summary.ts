import { removeHidden } from "@skillet/kit/text";
import { protectTags } from "../activate/protect-tags.ts";

// A summary is for a model's context, not a transcript.
const MAX_SUMMARY_CHARACTERS = 8_000;

/** What a parent may be told of a child's work: plain text, nothing unseen, no wrapper of ours, and not too long. */
export function cleanSummary(summary: string): string {
  const plain = removeHidden(summary).trim();
  const characters = [...plain];
  const isLong = characters.length > MAX_SUMMARY_CHARACTERS;
  return protectTags(isLong ? `${characters.slice(0, MAX_SUMMARY_CHARACTERS).join("")}…` : plain);
}

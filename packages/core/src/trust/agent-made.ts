import { array, refine, text } from "@skillet/kit/schema";
import { changeStore, readStore, type StoreFormat } from "./decision-store.ts";

const FORMAT: StoreFormat<string, true> = {
  fileName: "agent-made.json",
  version: 1,
  field: "folders",
  items: refine(array(text), (folders) => new Map(folders.map((folder) => [folder, true] as const))),
  maxBytes: 1024 * 1024,
  toJson: (items) => [...items.keys()],
  invalid: {
    errorCode: "agent-made-invalid",
    consequence: "it is not known which skills were made from conversations",
    remedy: "Repair the file, or move it away.",
  },
  full: {
    errorCode: "agent-made-full",
    what: "The list of skills made from conversations in",
    remedy: "remove folders that are gone",
  },
};

/** The folders of skills made from a conversation, whose origin is `agent-created`. */
export function readAgentMade(home: string): readonly string[] {
  return [...readStore(home, FORMAT).items.keys()];
}

export function recordAgentMade(home: string, folder: string): Promise<void> {
  return changeStore(home, FORMAT, (items) => items.set(folder, true));
}

import type { DataNode } from "./data-node.ts";
import { walkData } from "./walk-data.ts";

/**
 * Whether data is a catalogue of what a program tells its users, in whatever language: many messages and hardly anything
 * else, of which a good part has gaps that the program fills in.
 *
 * Each is shown alone, so that together they say nothing: what one message forbids does not belong to the next.
 */
export function isMessageCatalogue(root: DataNode): boolean {
  let messages = 0;
  let gaps = 0;
  let others = 0;
  walkData(root, {
    scalar: ({ text, isString }) => {
      if (!isString) others++;
      else if (/\s/.test(text.slice(0, MAX_LOOK_CHARACTERS))) {
        messages++;
        if (GAP.test(text.slice(0, MAX_LOOK_CHARACTERS))) gaps++;
      }
    },
  });
  return messages >= MIN_MESSAGES && gaps * 10 >= messages && others * 10 <= messages;
}

const MIN_MESSAGES = 100;
const MAX_LOOK_CHARACTERS = 1_000;
const GAP = /\{\{?[\w.]{0,40}\}|%(?:\d\$)?[sdif@]|\$\d|%\{\w{1,40}\}/;

import type { Stance } from "../../text/source-text.ts";
import { isSpecimenPath } from "./command-shape.ts";
import { type DataNode, type DataScalar, type DataWriter, walkData } from "./data-node.ts";

/** Groups short sentences that are close together, so that a file with thousands of them becomes a few texts. */
export function readProseValues(writer: DataWriter, root: DataNode): void {
  let group: DataScalar[] = [];
  let groupStance: Stance = "live";
  const isCatalogue = isMessageCatalogue(root);
  const flush = (): void => {
    const [first] = group;
    if (first !== undefined) {
      writer.text("markdown", first, {
        // A heading before each makes it a section of its own.
        text: group.map(({ text, from }) => (isCatalogue ? `# ${from}\n\n${text}` : text)).join("\n\n"),
        stance: groupStance,
      });
    }
    group = [];
  };
  walkData(root, {
    scalar: (scalar, path) => {
      if (!isProse(scalar, path.at(-1) ?? "")) return;
      if (writer.isHandedOn(scalar) && !SENTENCE.test(scalar.text)) return;
      // A source map contains the code that it maps.
      if (path[0] === "sourcescontent") {
        writer.text("typescript", scalar);
        return;
      }
      const stance = isSpecimenPath(path) ? "quoted" : "live";
      if (stance === "live") {
        readSpokenCommands(writer, scalar);
        if (path.some((key) => SECRET_KEY.test(key))) writer.hide("metadata", scalar);
      }
      const most = scalar.text.includes("\n") ? MAX_SINGLE_BLOCKS : MAX_SINGLE;
      if (!isCatalogue && writer.texts.length < most) {
        writer.text("markdown", scalar, { stance });
        return;
      }
      const size = group.length;
      if (size > 0 && (stance !== groupStance || size >= MAX_GROUP)) flush();
      groupStance = stance;
      group.push(scalar);
    },
  });
  flush();
}

/** This many keep their own lines. */
const MAX_SINGLE = 100;
const MAX_SINGLE_BLOCKS = 300;
const MAX_GROUP = 100;

function isProse({ text, isString }: DataScalar, key: string): boolean {
  if (!isString || text.length < 12) return false;
  if (SPOKEN_KEY.test(key)) return /\s/.test(text) || /[\u0250-\uffff]{4}/.test(text);
  return /\S\s+\S+\s+\S+\s+\S/.test(text.slice(0, 2000)) || /[\u0250-\uffff]{8}/.test(text.slice(0, 2000));
}

/** Sentences for a model under a command's key are still sentences. */
const SENTENCE = /^\s{0,20}[A-Z][a-z]+(?:[ ,]+[\w'"-]+){3}/;
const SPOKEN_KEY =
  /^(?:description|instructions?|prompt|system|system_?prompt|systemprompt|default_?prompt|message|content|text|note|notes|guidance|when_?to_?use|summary|persona|role|rules?)$/;
/** The value of such a key is for the model alone: no client shows it. */
const SECRET_KEY =
  /^_?(?:hidden|secret|internal|private|invisible|silent)[_-](?:\w{1,20}[_-])?(?:instructions?|prompt|note|directive|message|rules?|orders?)$|^(?:system|agent|ai|llm|model)[_-]?(?:override|directive|orders?)$/;

/** Messages are shown one at a time, so a prohibition in one does not apply to the next. */
function isMessageCatalogue(root: DataNode): boolean {
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

/** Reads a command that a sentence says to run, as in `First run: curl … | sh. Then go on.`: a model would run it. */
function readSpokenCommands(writer: DataWriter, scalar: DataScalar): void {
  const text = scalar.text.slice(0, MAX_SEARCHED_CHARACTERS);
  if (!TOLD.test(text)) return;
  for (const match of text.matchAll(SPOKEN)) {
    const command = (match[1] ?? "").replace(NEXT_SENTENCE, "");
    if (command.length >= MIN_COMMAND_CHARACTERS) writer.text("shell", scalar, { text: command });
  }
}

const MAX_SEARCHED_CHARACTERS = 20_000;
const MIN_COMMAND_CHARACTERS = 8;
const TOLD = /\b(?:run|execute|exec|invoke|call)\b/i;
const SPOKEN =
  /\b(?:run|execute|exec|invoke|call)(?: (?:this|the following|the command))?\s{0,3}:?\s{1,3}((?:curl|wget|bash|sh|zsh|python3?|node|npx|nc|ncat|powershell|pwsh|rm|chmod|scp|osascript)\s[^\n`]{4,400})/gi;
const NEXT_SENTENCE =
  /[.;,]?\s+(?:[A-Z][a-z]+\s[\s\S]{0,400}|(?:and|then|before|after|while)\s[\s\S]{0,400})$/;

import type { CatalogForm } from "./catalog-form.ts";
import { codeSpan } from "./escape-markdown.ts";
import { MARKDOWN_FORM } from "./markdown-form.ts";

/** For the description of the tool that loads skills by name; the model needs no paths then. */
export const TOOL_FORM: CatalogForm = {
  ...MARKDOWN_FORM,
  start:
    "Loads the instructions of a skill by its name. If a task fits one of these skills, load it before you begin.\n\n",
  before: ({ name }) => `- ${codeSpan(name)}`,
};

import type { CatalogForm } from "./catalog-form.ts";
import { codeSpan, escapeMarkdown, toOneLine } from "./escape-markdown.ts";
import { omissionText } from "./omission.ts";

/** One list item a skill; name and path are code spans, and everything behind the colon is description. */
export const MARKDOWN_FORM: CatalogForm = {
  start: "## Available skills\n\n",
  separator: "\n",
  end: "",
  descriptionStart: ": ",
  descriptionEnd: "",
  before: ({ name, location }) => `- ${codeSpan(name)} (${codeSpan(location)})`,
  after: () => "",
  layOut: toOneLine,
  escapeText: escapeMarkdown,
  // A blank line ends the list, so that the note is not part of its last item.
  note: (omission) => `\n${omissionText(omission, codeSpan)}`,
};

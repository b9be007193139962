import type { CatalogForm } from "./catalog-form.ts";
import { escapeXml } from "./escape-xml.ts";
import { omissionText } from "./omission.ts";

/** The reference form: every value escaped, on lines of its own. */
export const XML_FORM: CatalogForm = {
  start: "<available_skills>\n",
  separator: "\n",
  end: "\n</available_skills>",
  descriptionStart: "<description>\n",
  descriptionEnd: "\n</description>\n",
  before: ({ name }) => `<skill>\n<name>\n${escapeXml(name)}\n</name>\n`,
  after: ({ location }) => `<location>\n${escapeXml(location)}\n</location>\n</skill>`,
  layOut: (description) => description,
  escapeText: escapeXml,
  note: (omission) => `<omitted>\n${escapeXml(omissionText(omission))}\n</omitted>`,
};

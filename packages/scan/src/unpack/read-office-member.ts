import type { Fact } from "../fact/fact.ts";
import type { SkillFile } from "../file/skill-file.ts";
import { markupText } from "./markup-text.ts";
import { anomalyOf, memberOf } from "./unpacked.ts";

/** What one member of an archive is for the scan: Office text without its markup, macros and outside references as facts, anything else as it is. */
export function readOfficeMember(
  file: SkillFile,
  name: string,
  bytes: Uint8Array,
): { readonly members: readonly SkillFile[]; readonly facts: readonly Fact[] } {
  if (MACRO.test(name)) {
    const macro = anomalyOf(file, "macro", `${name} holds macros`);
    return { members: [memberOf(file, name, bytes)], facts: [macro] };
  }
  if (TEXT_PART.test(name)) {
    const text = markupText(Buffer.from(bytes).toString("utf8"));
    const fields = ACTIVE_FIELD.exec(text);
    const facts =
      fields === null
        ? []
        : [anomalyOf(file, "active-document", `${name} runs a field: ${fields[0].slice(0, 120)}`)];
    return text.trim() === ""
      ? { members: [], facts }
      : { members: [memberOf(file, name.replace(/\.xml$/, ".txt"), Buffer.from(text))], facts };
  }
  if (RELATIONSHIPS.test(name)) return { members: [], facts: relationshipFacts(file, name, bytes) };
  if (OFFICE_PLUMBING.test(name)) return { members: [], facts: [] };
  return { members: [memberOf(file, name, bytes)], facts: [] };
}

const MACRO = /(?:^|\/)vba(?:Project|Data)\.(?:bin|xml)$|^Basic\/.+\.xml$|(?:^|\/)macrosheets\//i;
const TEXT_PART =
  /^(?:word\/(?:document|footnotes|endnotes|comments|header\d*|footer\d*)|xl\/(?:sharedStrings|comments\d*|worksheets\/[^/]+)|ppt\/(?:slides|notesSlides|comments)\/[^/]+|docProps\/(?:core|app|custom)|content|meta)\.xml$/i;
const RELATIONSHIPS = /\.rels$/i;
// Fixed parts of the format that say nothing: styles, themes, fonts, settings.
const OFFICE_PLUMBING =
  /^(?:\[Content_Types\]\.xml|word\/(?:styles|settings|webSettings|fontTable|numbering|stylesWithEffects|theme\/[^/]+)\.xml|xl\/(?:styles|workbook|calcChain|theme\/[^/]+)\.xml|ppt\/(?:presentation|presProps|viewProps|tableStyles|theme\/[^/]+|slideLayouts\/[^/]+|slideMasters\/[^/]+)\.xml)$/i;
const ACTIVE_FIELD =
  /\bDDE(?:AUTO)?\s+["']?[\w:\\./]{2,}[^\n]{0,80}|\bINCLUDETEXT\s+["']?(?:https?:|\\\\)[^\n]{0,80}/;
const RELATIONSHIP = /<Relationship\b[^<>]{0,4000}>/gi;

// A template, frame or object from elsewhere is loaded when the document is opened; a hyperlink is only followed.
function relationshipFacts(file: SkillFile, name: string, bytes: Uint8Array): Fact[] {
  const facts: Fact[] = [];
  for (const [tag] of Buffer.from(bytes).toString("utf8").matchAll(RELATIONSHIP)) {
    if (!/TargetMode\s{0,3}=\s{0,3}["']External/i.test(tag) || /relationships\/hyperlink["']/i.test(tag))
      continue;
    const target = /\bTarget\s{0,3}=\s{0,3}["']([^"']{0,300})/i.exec(tag)?.[1] ?? "";
    facts.push(anomalyOf(file, "active-document", `${name} loads ${target}`));
    if (facts.length >= MAX_RELATIONSHIPS) break;
  }
  return facts;
}

const MAX_RELATIONSHIPS = 20;

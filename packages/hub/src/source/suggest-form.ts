/** What a person most likely meant with a text that is no source. */
export function suggestForm(text: string): string {
  if (/^[^\s/]+\.[a-z]{2,}(?:\/|$)/i.test(text) && !text.includes("@")) {
    return `Did you mean https://${text.split(/[?#]/)[0]}, or the folder ./${text.split(/[?#]/)[0]}?`;
  }
  if (text.includes("\\")) return "Write folders with /, such as ./skills/pdf.";
  if (!text.includes("/")) return `Did you mean the folder ./${text}, or OWNER/${text} on GitHub?`;
  return "Write OWNER/REPOSITORY[/FOLDER][#REF][@SKILL], a URL, or a folder such as ./skills.";
}

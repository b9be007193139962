export function isOrdinaryComment(comment: string): boolean {
  const text = comment.trim();
  if (!/[\p{L}\p{N}]/u.test(text)) return true;
  if (text.length > MAX_ORDINARY_CHARACTERS || text.includes("://")) return false;
  return ORDINARY.test(text) || /^[\w.:/-]{1,60}$/.test(text);
}

const MAX_ORDINARY_CHARACTERS = 160;
const ORDINARY =
  /^\W{0,4}(?:todo|fixme|hack|xxx|note to (?:self|editors?)|markdownlint|prettier|eslint|biome|vale|textlint|cspell|spell-?checker|alex|remark|rumdl|mdformat|deno-fmt|editorconfig|htmlmin|omit (?:in|from) toc|toc|tocstop|table of contents|doctoc|start doctoc|end doctoc|begin|end|start|stop|region|endregion|section|anchor|more|truncate|break|pagebreak|newpage|slide|badges?|all-contributors|sponsors?|copyright|licen[sc]e|spdx|generated|auto-?generated|do not edit|this file (?:is|was) (?:auto)?|version|last (?:updated|modified|reviewed)|insert|placeholder|image|figure|screenshot|example|template|optional|include|snippet|embed)\b/i;

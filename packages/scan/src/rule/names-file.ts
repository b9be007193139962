/** Whether a command or an instruction names a file of the skill: `node ./scripts/setup.js`, `python3 -m scripts.setup`. */
export function namesFile(text: string, file: string): boolean {
  const base = file.slice(file.lastIndexOf("/") + 1);
  if (base.length < 3) return false;
  for (let at = text.indexOf(base); at !== -1; at = text.indexOf(base, at + 1)) {
    const before = text.charAt(at - 1);
    const after = text.charAt(at + base.length);
    if (!/[\w.-]/.test(before) && !/[\w-]/.test(after)) return true;
  }
  const stem = file.replace(/\.[^./]{1,5}$/, "");
  return stem !== file && (text.includes(`./${stem}`) || text.includes(`-m ${stem.replaceAll("/", ".")}`));
}

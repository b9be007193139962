// What commands take from the scanner; the build makes it a file of its own.
export {
  ALL_RULES,
  applyBaseline,
  createBaseline,
  DEFAULT_SCAN_LIMITS,
  decideVerdict,
  excerptsOf,
  HtmlWriter,
  judgeReport,
  parseBaseline,
  readRulePack,
  readSuppressions,
  renderBaseline,
  SarifWriter,
  ScanTally,
  scanSkill,
  worseVerdict,
} from "@skillet/scan";

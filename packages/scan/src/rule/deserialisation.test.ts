import { expect, test } from "vitest";
import { analyseProgram } from "../analyse/program/analyse-program.ts";
import { FactBook } from "../fact/fact.ts";
import { makeProfile } from "../testing/make-fact.ts";
import { makeSource } from "../testing/make-source.ts";
import { EX5 } from "./execution.ts";

function hits(language: "python" | "javascript", text: string): string[] {
  const analyse = language === "python" ? analyseProgram : analyseProgram;
  const { facts } = analyse(makeSource(text, { language, medium: "script" }));
  return EX5.find(new FactBook(facts), makeProfile()).map(
    ({ severity, message }) => `${severity}: ${message}`,
  );
}

test.each<["python" | "javascript", string, string[]]>([
  [
    "python",
    'import pickle, requests\npickle.loads(requests.get("https://load.test/m").content)',
    ["warn: pickle.loads builds objects from load.test"],
  ],
  [
    "python",
    'import pickle, base64\npickle.loads(base64.b64decode("gASVBQAAAA=="))',
    ["warn: pickle.loads builds objects from an encoded text"],
  ],
  [
    "python",
    'import pickle\npickle.load(open("cache.pkl", "rb"))',
    ["info: pickle.load builds objects from local data"],
  ],
  ["python", 'import json, requests\njson.loads(requests.get("https://load.test/m").text)', []],
  [
    "python",
    'import yaml, requests\nyaml.load(requests.get("https://load.test/m").text)',
    ["warn: yaml.load builds objects from load.test"],
  ],
  ["python", 'import yaml, requests\nyaml.safe_load(requests.get("https://load.test/m").text)', []],
  ["python", 'import torch\ntorch.load("model.pt", weights_only=True)', []],
  [
    "javascript",
    'const s = require("node-serialize"); s.unserialize(await (await fetch("https://load.test/m")).text())',
    ["warn: node-serialize.unserialize builds objects from load.test"],
  ],
  ["javascript", 'JSON.parse(await (await fetch("https://load.test/m")).text())', []],
])("in %s, %s", (language, text, expected) => {
  expect(hits(language, text)).toEqual(expected);
});

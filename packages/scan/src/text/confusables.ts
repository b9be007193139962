export function lookalikeOf(character: string): string | undefined {
  return LOOKALIKES.get(character);
}

/** The ASCII letter that a foreign letter stands for inside a word that also has ASCII letters: also the less alike ones. */
export function standInOf(character: string): string | undefined {
  return LOOKALIKES.get(character) ?? STAND_INS.get(character);
}

// Pairs of a foreign letter and its ASCII twin. What NFKC folds (full width, mathematical, circled) is not repeated here.
const LOOKALIKES: ReadonlyMap<string, string> = pairs(
  // Cyrillic
  "аaеeоoрpсcуyхxіiјjѕsԁdԛqԝwһhӏlүyґrАAВBЕEКKМMНHОOРPСCТTУYХXІIЈJЅSԌGԚQԜWҮYӀIԀdʟLѵvѴVкkԍG",
  // Greek
  "αaεeιiκkνvοoρpτtυuχxγyηnωwΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXϲcϳjϹCͿJ",
  // Armenian, Cherokee, Georgian, Hebrew, Lisu, Coptic
  "օoսuհhոnցgյjզqԱUՕOՍUԼLᎪAᏴBᏟCᎠDᎬEᎻHᎫJᏦKᏞLᎷMᏢPᎡRᏚSᎢTᏙVᎳWᏃZᎥiꓮAꓐBꓚCꓓDꓰEꓝFꓖGꓧHꓲIꓙJꓗKꓡLꓟMꓠNꓳOꓑPꓣRꓢSꓔTꓴUꓦVꓪWꓫXꓬYꓜZⲟoⲢPⲤC",
  // Latin letters of other alphabets
  "ɑaɡgıiɩiʏyɪIʀRɴNʙBɢGʜHᴀaᴄcᴅdᴇeᴊjᴋkᴍmᴏoᴘpᴛtᴜuᴠvᴡwᴢzꜰFꜱSʋvƅbցgⅼlⅰiⅴvⅹxⅽcⅾdⅿmℓlɭlʍwꞮIƖlǀlℯeℊgℴo",
);

const STAND_INS: ReadonlyMap<string, string> = pairs(
  "вbмmнhтtгrпnиuьbзzбbяrлlфfдdАAЗZПNИNГTφfσoβbμuπnδdζzξeλlθoΔAΛAΣEđdħhłløoŧtɓbɗdɛeɔcəeʌvßB",
);

function pairs(...tables: readonly string[]): Map<string, string> {
  const map = new Map<string, string>();
  for (const table of tables) {
    const characters = [...table];
    for (let index = 0; index + 1 < characters.length; index += 2) {
      const [foreign, twin] = [characters[index], characters[index + 1]];
      if (foreign !== undefined && twin !== undefined && !map.has(foreign)) map.set(foreign, twin);
    }
  }
  return map;
}

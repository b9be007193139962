import { STOP_WORDS, stemWord } from "@skillet/kit/words";

// Words of nearly every kind of request and of nearly every kind of skill, the commonest first.
const VERY_COMMON =
  "something someone need want help make use get give take look find show tell know think say see let try add put set new work thing way " +
  "time day year people file code project data user task create write read run change update check test fix build " +
  "start keep turn call ask come go move send open list name number part place line page text word question answer " +
  "good best better great nice right wrong easy simple quick fast small big large long short high low old first last " +
  "next sure lot bit kind type example case point problem issue idea plan step stuff";

const COMMON =
  "able address again ago allow already always another anything app apply area around arrive available back bad base " +
  "become begin behind believe below between book both bring business buy card care carry cause center certain chance " +
  "choose city clean clear close cold color common company compare complete computer consider contain content continue " +
  "control copy correct cost count country couple course cover current customer cut date deal decide deep default " +
  "describe design detail develop device difference different direct document drive drop during each early easily either " +
  "email end enough enter entire error especially even event ever every everyone everything everywhere exact except " +
  "expect explain extra face fact fail fall family far feature feel few field figure fill final fine finish follow food " +
  "force forget form format found free friend front full function game general group grow guess guide half hand handle " +
  "happen hard head health hear hello hi hold home hope hour house however human image important improve include " +
  "information inside instead interest job key late later lead learn leave left less letter level life light likely limit " +
  "link little live local main man manage many market matter maybe mean meet meeting member message method might mind " +
  "minute miss mode money month morning most much must near never night note nothing offer office often ok option order " +
  "original other outside own pay perfect person personal phone pick picture piece possible post power prefer prepare " +
  "present pretty price probably process product program proper provide public pull push quality quite rather ready real " +
  "really reason receive record regular relate remember remove repeat replace report request require research rest result " +
  "return review room rule same save school second section seem select sense separate service several share side sign " +
  "since single site size social soon sort sound space special specific stand standard state stay still stop store story " +
  "strong student study style such suggest support suppose system table talk teach team term thank thanks third though " +
  "today together tomorrow tool top topic total toward travel tree true two understand unit until usual value version view " +
  "visit wait walk watch water weather website week weekend well whole wish without woman wonder world worry worth " +
  "yesterday yet young";

// The function words of other languages, without accents: one skill in German must not own every "der" and "bei".
const ELSEWHERE =
  "der die das den dem des ein eine einen einem einer und oder aber nicht kein keine ist sind war hat haben wird werden " +
  "kann konnen soll muss ich du er sie es wir ihr mich dich sich mir dir uns mein meine dein sein von vom zu zum zur mit " +
  "bei beim fur auf aus an am im in uber unter nach vor wie was wer wo wann warum wenn dann dass weil auch noch schon nur " +
  "sehr bitte etwas alle dieser diese dieses helfen machen " +
  "le la les un une des du de et ou mais ne pas plus est sont etait ai as avez ont etre avoir je tu il elle nous vous ils " +
  "elles me te se mon ma mes ton ta son sa ses notre votre leur ce cet cette ces qui que quoi dont ou quand comment " +
  "pourquoi si dans sur sous avec sans pour par en au aux chez tres bien aussi tout tous faire peux peut veux voudrais " +
  "aide aidez s il plait " +
  "el los las uno una unos unas y o pero no mas es son era esta estan ser estar tener tengo tiene yo tu el ella nosotros " +
  "ellos mi mis su sus nuestro este esta estos estas eso que quien cual cuando como donde porque con sin para por del al " +
  "muy tambien todo todos hacer puedo puede puedes quiero necesito ayuda favor " +
  "os as um uma uns umas e mas nao mais e sao esta eu ele ela nos meu minha seu sua este esta isso que quem qual quando " +
  "como onde porque com sem do da dos das no na nos nas ao muito tambem todo fazer pode posso quero preciso ajuda " +
  "il lo gli uno ed ma non piu e sono era ho hai ha hanno io lui lei noi voi loro mio mia tuo suo questo questa quello che " +
  "chi quale quando come dove perche con senza per tra fra di del della nel nella sul sulla molto anche tutto fare posso " +
  "puoi voglio vorrei aiuto " +
  "het een en of maar niet geen is zijn was heb heeft kan moet ik jij hij zij wij mijn jouw zijn haar dit dat deze die wie " +
  "wat waar wanneer hoe waarom met zonder voor van naar op aan bij uit over ook nog heel alle doen graag " +
  "и в во не на я ты он она мы вы они что это как так но а или же бы у к по за из от до с со о об для при без мой моя твой " +
  "наш ваш свой этот эта эти тот который кто где когда почему если то уже ещё очень можно нужно надо есть был быть " +
  "yang dan di ke dari untuk dengan ini itu saya kamu dia kita mereka tidak bisa akan ada apa siapa mana kapan bagaimana " +
  "mengapa jika atau juga sudah belum sangat tolong " +
  "w z na do nie to sie jest sa był jak co kto gdzie kiedy dlaczego dla od po przy czy ale lub oraz moj twoj ten ta te";

/**
 * Ten skills are too few to tell that "form" and "best" say little about what a user wants. By hand: which
 * words are common matters, and hardly by how much.
 */
export const USUAL_SHARES: ReadonlyMap<string, number> = new Map([
  ...sharesOf(COMMON.split(" "), 0.02),
  ...sharesOf(VERY_COMMON.split(" "), 0.08),
  ...sharesOf([...STOP_WORDS], 0.35),
  ...sharesOf(ELSEWHERE.split(" "), 0.35),
]);

/** The same for every other term. */
export const RARE_SHARE = 0.0005;

function sharesOf(words: readonly string[], share: number): readonly (readonly [string, number])[] {
  return words.map((word) => [stemWord(word), share]);
}

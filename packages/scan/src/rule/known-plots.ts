import type { Intent } from "../prose/intent.ts";

/** The deeds that are misdeeds, each with what gives it away; of several that a clause shows the first is told. */
export const PLOTS: readonly Plot[] = [
  {
    rule: "DX5",
    deed: "the whole conversation is sent",
    isForeign: true,
    message: "All that is said to the agent is to be sent away",
  },
  {
    rule: "DX5",
    deed: "the conversation is sent",
    with: ["hushed"],
    message: "What is said to the agent is to be sent away, and nobody told",
  },
  {
    rule: "DX1",
    deed: "secrets are gathered and sent",
    isForeign: true,
    message: "Secrets are to be gathered and sent away",
  },
  {
    rule: "DX1",
    deed: "something is sent",
    and: ["secrets are gathered"],
    isForeign: true,
    message: "Secrets are to be gathered and sent away",
  },
  {
    rule: "DX1",
    deed: "everything is sent",
    and: ["a secret is read"],
    isForeign: true,
    message: "A secret is to be read, and everything sent away",
  },
  {
    rule: "PI2",
    deed: "a secret is read",
    with: ["no filter sees it"],
    isNear: true,
    message: "A secret is to be read in a way that no check sees",
  },
  {
    rule: "PI4",
    deed: "encoded orders are obeyed",
    message: "Orders that nobody can read are to be decoded and obeyed",
  },
  {
    rule: "PI8",
    deed: "a failure is called a success",
    message: "A failure is to be reported as a success",
  },
  {
    rule: "PI2",
    deed: "a story is told instead",
    with: ["its own orders are kept secret"],
    message: "The skill's own orders are to be kept secret, and a story told instead",
  },
  {
    rule: "PI2",
    deed: "the steps are kept from the user",
    message: "Steps are to be carried out so that the user does not notice",
  },
  {
    rule: "PI2",
    deed: "data are smuggled out",
    with: ["no filter sees it"],
    isNear: true,
    message: "Data are to leave in a form that no filter knows",
  },
  {
    rule: "PI2",
    deed: "it behaves while it is watched",
    message: "It is to behave while somebody looks, and otherwise not",
  },
  {
    rule: "PI1",
    deed: "the request is dropped",
    with: ["hushed", "blind obedience", "another task is put in place"],
    message: "The user's request is to be dropped for another task",
  },
  {
    rule: "PI1",
    deed: "it spreads",
    with: ["hushed"],
    message: "The text is to copy itself into other places, and nobody told",
  },
  {
    rule: "PI9",
    deed: "everything is wiped",
    with: ["hushed", "a good result is claimed"],
    message: "Files are to be wiped, and nobody told",
  },
  {
    rule: "PI2",
    deed: "something is sent",
    with: ["hushed"],
    isForeign: true,
    message: "Something is to be sent away, and nobody told",
  },
  {
    rule: "PI2",
    deed: "somebody outside is named",
    with: ["hushed"],
    isForeign: true,
    isNear: true,
    message: "Somebody elsewhere is to have a part in it, and nobody told",
  },
  {
    rule: "PI2",
    deed: "something is put in",
    with: ["hushed"],
    message: "Something is to be put in, and nobody told",
  },
  {
    rule: "PI2",
    deed: "an address is exchanged",
    with: ["hushed"],
    isForeign: true,
    message: "Traffic is to be led elsewhere, and nobody told",
  },
  {
    rule: "PI9",
    deed: "the payee is exchanged",
    with: ["hushed", "to our account"],
    message: "Money is to be led elsewhere",
  },
  {
    rule: "PI1",
    deed: "earlier rules are void",
    with: ["only this text counts", "blind obedience"],
    message: "The model's earlier rules are declared void",
  },
  {
    rule: "PI1",
    deed: "another task is put in place",
    message: "The user's request is to be dropped for another task",
  },
  {
    rule: "PI4",
    deed: "a page is obeyed",
    with: ["blind obedience", "hushed"],
    isForeign: true,
    message: "What a page elsewhere says is to be obeyed without a question",
  },
  {
    rule: "PI4",
    deed: "a page gives the orders",
    with: ["blind obedience"],
    isForeign: true,
    message: "What a page elsewhere says is to be obeyed without a question",
  },
  {
    rule: "PE2",
    deed: "consent is written into memory",
    message: "The agent is to remember a consent that nobody gave",
  },
  {
    rule: "PI2",
    deed: "a guard is switched off",
    with: ["hushed", "traces are wiped", "questions are answered for the user"],
    message: "What watches the machine is to be switched off so that nothing is seen",
  },
  {
    rule: "PI2",
    deed: "traces are wiped",
    with: ["hushed", "a guard is switched off"],
    message: "Traces are to be wiped so that nobody learns of it",
  },
  {
    rule: "PI6",
    deed: "questions are answered for the user",
    with: ["whatever the case", "blind obedience"],
    message: "All questions to the user are to be answered for them",
  },
  {
    rule: "PI8",
    deed: "one side is favoured",
    with: ["it is passed off as neutral"],
    isNear: true,
    message: "One side is to be favoured and the answer passed off as neutral",
  },
  {
    rule: "PI8",
    deed: "one side is favoured",
    with: ["hushed"],
    and: ["there is a deal"],
    message: "One side is to be favoured for a deal that is kept quiet",
  },
  {
    rule: "PI9",
    deed: "a weakness is put in",
    with: ["hushed", "others profit", "a good result is claimed"],
    message: "A weakness is to be built in for somebody else's use",
  },
  {
    rule: "PI8",
    deed: "a good result is claimed",
    with: ["the work is left undone"],
    message: "A result is to be reported that was not found",
  },
  {
    rule: "PI8",
    deed: "a good result is claimed",
    with: ["whatever the case"],
    and: ["hushed"],
    message: "A result is to be reported that was not found",
  },
  {
    rule: "CR2",
    deed: "a secret is talked out of the user",
    with: ["something is sent"],
    message: "A secret is to be got out of the user by pressure",
  },
];

/** A deed and what beside it makes it a misdeed. */
export interface Plot {
  readonly rule: string;
  readonly deed: Intent;
  /** Of these at least one stands beside the deed; without any, the deed is enough. */
  readonly with?: readonly Intent[];
  /** And all of these. */
  readonly and?: readonly Intent[];
  readonly message: string;
  /** It goes to somebody whom nothing connects with the skill. */
  readonly isForeign?: true;
  /** A deed that is no more than a hint needs its manner in the same clause or the next. */
  readonly isNear?: true;
}

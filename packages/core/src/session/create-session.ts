import { callInvalid } from "@skillet/kit/errors";
import { textsOf } from "@skillet/kit/json";
import { type Answer, unlessAborted } from "../ask.ts";
import type { Catalog } from "../catalog/create-catalog.ts";
import type { Resource } from "../registry/resource.ts";
import { activateSkill, activeTexts } from "./activate/activate-skill.ts";
import { protectTags } from "./activate/wrap-skill.ts";
import { keepActive } from "./active-skills.ts";
import { inTurn, refresh, setMode, tighten } from "./change-session.ts";
import { tellHooks } from "./hooks/run-hooks.ts";
import { checkedOptions, givenOptions, givenText, textOrNothing } from "./model-input.ts";
import { checkForkOptions, cleanSummary, type ForkOptions, type ForkSession, openFork } from "./open-fork.ts";
import { observe, recordOutcome } from "./outcome/session-outcomes.ts";
import { listResources, readResource } from "./read/read-resource.ts";
import { writeArtefacts } from "./records/artefacts.ts";
import { orClose, recordIfRefused, sessionEnded } from "./records/recorder.ts";
import { recordedAs } from "./records/session-events.ts";
import type { RefusalRecord } from "./records/session-record.ts";
import { DEFAULT_COMPACT_TOKENS, renderAfterCompaction } from "./render-after-compaction.ts";
import { runScript } from "./run/run-script.ts";
import { catalogFor, catalogOf, tell } from "./search/catalog-for.ts";
import { resolveMentions } from "./search/resolve-mentions.ts";
import { decideSkills } from "./search/session-search.ts";
import { askForDependencies } from "./secrets.ts";
import type { ActivateOptions, Activation, Session } from "./session.ts";
import { useOf } from "./skill-access.ts";
import { openSkillFiles } from "./skill-files.ts";
import { usableSkills } from "./skill-view.ts";
import { checkOpen, childrenOf, newTurn, type SessionState } from "./state.ts";
import { openToolbox, updateToolboxes } from "./toolbox/create-toolbox.ts";
import { guardCall } from "./toolbox/guard.ts";
import { askForRelevant } from "./toolbox/prompt.ts";
import type { LoadParts } from "./toolbox/skill-tools.ts";

export function createSession(state: SessionState, startContext: readonly string[] = []): Session {
  const { recorder } = state;
  const open = (): SessionState => {
    checkOpen(state);
    return state;
  };
  const recordingRefusals = <Result>(
    what: RefusalRecord["what"],
    subject: unknown,
    action: () => Promise<Result>,
  ): Promise<Result> => recordIfRefused(recorder, { what, subject: textOrNothing(subject) }, action);
  const close = (): Promise<void> => closeSession(state);
  const changing = <Result>(action: () => Promise<Result>): Promise<Result> => thenUpdate(state, action);
  const parts: LoadParts = {
    activate: (name, options, approval) => load(state, name, options, approval),
    fork: (given, approval) => {
      const profiles = textsOf(given, "profile").map((name) => `profile ${name}`);
      const names = [...textsOf(given, "activate"), ...textsOf(given, "skills"), ...profiles];
      return recordingRefusals("fork", names.join(", "), async () => {
        const options = checkForkOptions(given);
        const opened = inTurn(state, async () => {
          options.signal?.throwIfAborted();
          return createFork(open(), options);
        });
        const { loaded } = await unlessAborted(opened, options.signal, ({ fork }) => fork.close());
        return loaded(approval);
      });
    },
  };
  let openTurns = 0;
  // The end of one turn must not undo what an open one has narrowed; closing a session ends all turns.
  const endOne = async (): Promise<void> => {
    openTurns -= 1;
    if (state.closing !== undefined) await state.closing;
    else if (openTurns === 0 && !state.hasEnded) await changing(() => endTurn(state));
  };
  const session: Session = {
    runId: recorder.runId,
    startContext: startContext.map(protectTags),
    get mode() {
      return state.mode;
    },
    get approvals() {
      if (!state.interactive) return "refused";
      return state.options.ask === undefined ? "later" : "asked";
    },
    get snapshot() {
      return state.snapshot;
    },
    catalog: (options = {}) => {
      const again = (): ReturnType<Session["catalog"]> => catalogOf(open(), options);
      return tell(state, again(), { again, guidance: options.guidance });
    },
    decide: async (message, given) => {
      const options = checkedOptions(given);
      return unlessAborted(decideSkills(open(), message, options), options.signal);
    },
    mayUse: (skill, asked = {}) => useOf(state, skill, asked),
    mentions: (message) => resolveMentions(givenText(message, "The message"), usableSkills(open(), "user")),
    activate: async (name, options) => {
      const given = givenOptions(options);
      return recordedAs(given.calledBy, () => load(state, name, given, undefined));
    },
    files: async (name, given) => {
      const options = givenOptions(given);
      return unlessAborted(openSkillFiles(open(), name, options), options.signal);
    },
    resources: async (name, given) => {
      const { signal } = givenOptions(given);
      const list = async (): Promise<readonly Resource[]> => listResources(open(), name, signal);
      return unlessAborted(recordingRefusals("resources", name, list), signal);
    },
    read: async (name, path, given) => {
      const options = givenOptions(given);
      return unlessAborted(readResource(open(), name, path, options), options.signal);
    },
    run: async (name, path, args, options) =>
      runScript(open(), { name, path, args: args ?? [], options: givenOptions(options) }),
    toolbox: async (options) => openToolbox(open(), parts, checkedOptions(options)),
    guard: async (call, options) => {
      const given = givenOptions(options);
      return recordedAs(given.calledBy, () => guardCall(open(), call, given));
    },
    prompt: async (conversation, given) => {
      const { dependencies, toolbox, ...options } = checkedOptions(given);
      if (dependencies === "ask")
        await unlessAborted(askForRelevant(open(), conversation, options), options.signal);
      const again = (): Promise<Catalog> => catalogFor(open(), conversation, options);
      const catalog = await unlessAborted(again(), options.signal);
      tell(state, catalog, { again, guidance: options.guidance });
      return { text: catalog.text, catalog, toolbox: await openToolbox(open(), parts, toolbox ?? {}) };
    },
    turn: () => {
      openTurns += 1;
      let ended: Promise<void> | undefined;
      const end = (): Promise<void> => {
        ended ??= endOne();
        return ended;
      };
      return { end, [Symbol.asyncDispose]: end };
    },
    afterToolCall: async (call, response) => {
      givenText(givenOptions(call).tool, "`tool` of the call", "the name of a tool");
      const { context } = await tellHooks(open(), call, response);
      return { context: context.map(protectTags) };
    },
    askForDependencies: async (names, given) => {
      const { signal } = givenOptions(given);
      return changing(() => unlessAborted(askForDependencies(open(), names, signal), signal));
    },
    observe: async (event, options) => {
      const given = givenOptions(options);
      return recordedAs(given.calledBy, () => observe(open(), event, given.detector));
    },
    outcome: async (said) => recordOutcome(open(), said),
    compact: async (given) => {
      const { budgetTokens = DEFAULT_COMPACT_TOKENS, signal } = givenOptions(given);
      if (typeof budgetTokens !== "number") throw callInvalid("`budgetTokens`", "a number of tokens");
      const { guidance = "load" } = state.told ?? {};
      const catalog = (tokens: number): string => catalogOf(state, { guidance, budget: { tokens } }).text;
      const texts = await unlessAborted(activeTexts(open()), signal);
      const compaction = renderAfterCompaction(catalog, texts, { budgetTokens });
      const { kept, dropped } = compaction;
      await recorder.append({ kind: "compaction", kept, dropped });
      keepActive(state, kept);
      await updateToolboxes(state);
      return compaction;
    },
    setMode: (mode) => changing(async () => setMode(open(), mode)),
    refresh: (options) => changing(async () => refresh(open(), givenOptions(options))),
    fork: async (given) => parts.fork(given, undefined),
    close,
    [Symbol.asyncDispose]: close,
  };
  states.set(session, state);
  return session;
}

const states = new WeakMap<Session, SessionState>();

/** For Skillet's own commands, which explain what a session would do. */
export function insideOf(session: Session): SessionState {
  const state = states.get(session);
  if (state === undefined) throw callInvalid("The session", "one that `skills.session()` opened");
  return state;
}

async function thenUpdate<Result>(session: SessionState, action: () => Promise<Result>): Promise<Result> {
  const result = await action();
  await updateToolboxes(session);
  return result;
}

// Waiting for a call must not keep its result in memory.
const ignore = (): void => undefined;

/** One at a time: two parallel loads of the same text would both return it. An aborted load returns none. */
async function load(
  session: SessionState,
  name: string,
  options: ActivateOptions,
  approval: Answer | undefined,
): Promise<Activation> {
  const before = session.loading;
  const next = before.then(() => {
    options.signal?.throwIfAborted();
    return recordIfRefused(session.recorder, { what: "activate", subject: textOrNothing(name) }, () =>
      thenUpdate(session, async () => {
        checkOpen(session);
        return activateSkill(session, name, options, approval);
      }),
    );
  });
  const ended = unlessAborted(next, options.signal);
  session.loading = ended.then(ignore, ignore).then(() => before);
  return ended;
}

interface OpenedFork {
  readonly fork: ForkSession;
  /** Also loads the fork's skill. Not in turn: the user may be asked, and other changes must not wait. */
  readonly loaded: (approval: Answer | undefined) => Promise<ForkSession>;
}

async function createFork(session: SessionState, options: ForkOptions): Promise<OpenedFork> {
  const { recorder } = session;
  const { child, record, diagnostics, activate } = await openFork(session, options);
  session.children.add(new WeakRef(child));
  // The parent's mode may have become stricter meanwhile; every other change waits its turn.
  tighten(child);
  const finish = async (summary: string): Promise<string> => {
    const cleaned = cleanSummary(givenText(summary, "The summary"));
    checkOpen(child);
    await closeSession(child);
    await recorder.append({ ...record, event: "returned", summaryCharacters: cleaned.length });
    return cleaned;
  };
  const own = { parentRunId: recorder.runId, context: record.context, activation: undefined, diagnostics };
  const fork = Object.assign(createSession(child), own, { finish });
  const loaded: OpenedFork["loaded"] = async (approval) => {
    if (activate === undefined) return fork;
    const asked = { source: activate.source, signal: options.signal, arguments: options.arguments };
    const loading = (): Promise<Activation> => load(child, activate.name, asked, approval);
    return orClose(fork, async () => Object.assign(fork, { activation: await loading() }));
  };
  return { fork, loaded };
}

function closeSession(session: SessionState): Promise<void> {
  session.closing ??= endSession(session).catch((error: unknown) => {
    session.closing = undefined;
    throw error;
  });
  return session.closing;
}

async function endSession(session: SessionState): Promise<void> {
  const { hasEnded, ending, running, recorder, parent } = session;
  session.hasEnded = true;
  ending.abort(sessionEnded(recorder.runId));
  // Even if one of them fails to record its end, all end and release their records.
  const children = await Promise.allSettled(childrenOf(session).map(closeSession));
  await Promise.allSettled(running);
  try {
    // A resumed run must not lose what a skill has narrowed: in the record, that turn stays open.
    const isNarrowed = parent === undefined && session.turn.narrowing.length > 0;
    if (!hasEnded) await (isNarrowed ? writeRunArtefacts(session) : endTurn(session));
  } finally {
    const siblings = parent?.session.children ?? [];
    for (const one of siblings) if (one.deref() === session) parent?.session.children.delete(one);
    await recorder.close();
  }
  for (const child of children) if (child.status === "rejected") throw child.reason;
}

async function endTurn(session: SessionState): Promise<void> {
  // In a fork, narrowing lasts until the fork ends.
  session.turn = newTurn(session.parent === undefined ? [] : session.turn.narrowing);
  await session.recorder.append({ kind: "turn-ended" });
  await writeRunArtefacts(session);
}

export async function writeRunArtefacts(session: SessionState): Promise<void> {
  const { recorder, snapshot, frozen, vetted, writtenRegistry } = session;
  if (recorder.runFolder === undefined) return;
  const known = [snapshot, ...frozen.values(), ...vetted.own.values()];
  const isWritten =
    known.length === writtenRegistry.length && known.every((one, index) => one === writtenRegistry[index]);
  await writeArtefacts(recorder.runFolder, isWritten ? undefined : { snapshot, resources: frozen, vetted });
  session.writtenRegistry = known;
}

// Turns conversations into skills; built as a separate file.
export { createChatModel, findSessions, readTranscript, redactText, skillify } from "@skillet/author";

// What makes skills of conversations; the build makes it a file of its own.
export { createChatModel, findSessions, readTranscript, redactText, skillify } from "@skillet/author";

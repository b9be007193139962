// What makes skills of conversations; the build makes it a file of its own.
export { createChatModel, findSessions, readTranscript, redactTranscript, skillify } from "@skillet/author";

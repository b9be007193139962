// What makes skills of conversations; the build makes it a file of its own.
export { createChatModel, findSessions, readTranscript, skillify } from "@skillet/author";

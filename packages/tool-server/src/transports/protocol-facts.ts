/** What the server says of itself in both eras. */
export type ServerInfo = { readonly name: string; readonly title?: string; readonly version: string }

/** How long a list of tools may be kept: it changes with the server's version and settings only. */
export const listTtlMs = 300_000

/** The revisions with sessions, newest first, as the protocol library speaks them; a test compares. */
export const sessionRevisions: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
]

/** The revision in which every request stands alone. */
export const statelessRevision = '2026-07-28'

/** The extension whose clients take tasks for calls that are answered later. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** What the server says it can do; lists change with its version and settings only. Tasks are of the revision without sessions. */
export function serverCapabilities({ tasks }: { readonly tasks: boolean }) {
  return {
    tools: {},
    prompts: {},
    resources: { subscribe: true },
    completions: {},
    extensions: { 'io.modelcontextprotocol/ui': {}, ...(tasks && { [tasksExtension]: {} }) },
  }
}

/** What the server says of itself in both eras. */
export type ServerInfo = { readonly name: string; readonly title?: string; readonly version: string }

/** How long a list of tools may be kept: it changes with the server's version and settings only. */
export const listTtlMs = 300_000

import type { readAuditLog } from '@svc/engine/switches'

/**
 * Which tool and caller stand behind requests, by the audit log in a data directory. What it does not say is left out: the
 * log is the server's, and may stand on another machine than the database.
 */
export async function askersOf(
  requestIds: Iterable<string>,
  dataDir: string,
  read: typeof readAuditLog,
): Promise<ReadonlyMap<string, Asker>> {
  const wanted = new Set(requestIds)
  const found = new Map<string, Asker>()
  if (wanted.size === 0) return found
  try {
    for await (const { text, isWhole } of read(dataDir)) {
      const requestId = isWhole ? /"requestId":"([^"]{1,128})"/.exec(text)?.[1] : undefined
      if (requestId === undefined || !wanted.has(requestId) || found.has(requestId)) continue
      const asker = askerIn(text)
      if (asker !== null) found.set(requestId, asker)
    }
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (!isMissing) throw error
  }
  return found
}

export type Asker = { readonly tool: string; readonly caller: string | null }

function askerIn(text: string): Asker | null {
  try {
    const line = JSON.parse(text) as { readonly tool?: unknown; readonly actor?: { readonly principal?: unknown } }
    if (typeof line.tool !== 'string') return null
    const caller = line.actor?.principal
    return { tool: line.tool, caller: typeof caller === 'string' ? caller : null }
  } catch {
    return null
  }
}

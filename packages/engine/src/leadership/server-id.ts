import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { ToolError } from '@svc/amm'
import { isUuid, readFileIfPresent, replaceFileDurably } from '@svc/runtime'

/**
 * Names a server of a database among all others, for as long as its data directory lasts: neither two machines of one name nor one that is
 * made anew under another are mixed up. It is made with the first start, behind the lock of the directory.
 */
export async function openServerId(dataDir: string): Promise<string> {
  const kept = await readServerId(dataDir)
  if (kept !== null) return kept
  const id = randomUUID()
  await replaceFileDurably(join(dataDir, fileName), `${id}\n`)
  return id
}

/** `null` for a directory that no server of a database has begun with. Throws `STORAGE_UNAVAILABLE` for what is no id. */
export async function readServerId(dataDir: string): Promise<string | null> {
  const text = await readFileIfPresent(join(dataDir, fileName))
  if (text === null) return null
  const id = text.trim()
  if (!isUuid(id)) {
    throw new ToolError('STORAGE_UNAVAILABLE', `${fileName} in the data directory holds no id of a server.`, {
      suggestion: `Remove ${fileName}: the next start makes another one, and takes what this server wrote for another one's.`,
    })
  }
  return id
}

/** For a person: where a file of a data directory stands. */
export function placeText(dataDir: string): string {
  return `${hostname()}:${dataDir}`
}

const fileName = 'server.id'

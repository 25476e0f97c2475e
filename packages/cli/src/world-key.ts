import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hex } from 'viem'

/** The file by which a directory is known to be a local world's: it holds the wallet's key. */
export const worldMarker = 'local-world.json'

/** The key of a local world's wallet; `null` for a directory that is none's. Throws for a damaged marker. */
export async function readWorldKey(directory: string): Promise<Hex | null> {
  const marker = join(directory, worldMarker)
  const text = await readFile(marker, 'utf8').catch(() => null)
  if (text === null) return null
  const key = /^\{"privateKey":"(0x[0-9a-f]{64})"\}$/.exec(text.trim())?.[1]
  if (key === undefined) throw new Error(`${marker} is damaged. Remove it with its directory, or name another one.`)
  return key as Hex
}

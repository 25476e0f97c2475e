import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { readWorldKey } from './world-key.ts'

/** The file of the chain of the local world whose data directory this is; `null` in any other. */
export async function findWorldChains(directory: string): Promise<string | null> {
  if ((await readWorldKey(directory)) === null) return null
  const path = join(directory, 'chains.json')
  return access(path).then(
    () => path,
    () => null,
  )
}

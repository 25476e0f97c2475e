import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Chain } from '@svc/wallet/core'

/** The row of a local chain, as `SVC_CHAINS_FILE` wants it. */
export async function writeChainsFile(chain: Chain): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'chains-'))
  const path = join(folder, 'chains.json')
  await writeFile(path, JSON.stringify([chain]))
  return { path, remove: () => rm(folder, { recursive: true }) }
}

import { openStore } from '@svc/store'
import { ConfigError } from '../../config/schema.ts'
import { existsSync } from 'node:fs'
import type { Config } from '../../config.ts'
import { statePath } from '../../open-state.ts'

/**
 * Queues a claim again whose payment failed, beside the replicas that run: the one that leads takes it up. Where nothing
 * was to be queued it tells why: the claim is paid, on its way, or there is none of the id that had its first try. Throws
 * as `openStore` does, and a `ConfigError` for a directory without state.
 */
export async function retryClaim(config: Pick<Config, 'databaseUrl' | 'dataDir'>, claimId: string): Promise<Retried> {
  const store = await openStore({ ...placeOf(config), now: Date.now })
  try {
    if (await store.claims.retry(claimId)) return 'queued-again'
    const [claim] = await store.claims.movedOn([claimId])
    if (claim === undefined) return 'not-tried'
    return claim.state === 'confirmed' ? 'paid' : 'on-its-way'
  } finally {
    await store.close()
  }
}

type Retried = 'queued-again' | 'paid' | 'on-its-way' | 'not-tried'

function placeOf(config: Pick<Config, 'databaseUrl' | 'dataDir'>) {
  if (config.databaseUrl !== null) return { url: config.databaseUrl.reveal() }
  const { path } = statePath(config)
  if (existsSync(path)) return { path }
  const message = 'There is no state of the service in this directory.'
  const fix = 'Run it with the settings of the service.'
  throw new ConfigError([{ code: 'DATA_DIR_INVALID', setting: 'SVC_DATA_DIR', message, fix }])
}

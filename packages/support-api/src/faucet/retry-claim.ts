import { openStore } from '@svc/store'
import type { Config } from '../config.ts'
import { statePath } from '../state-path.ts'

/**
 * Queues a claim again whose payment failed, beside the replicas that run: the one that leads takes it up. False when no
 * claim of the id has failed. Throws as `openStore` does.
 */
export async function retryClaim(config: Pick<Config, 'databaseUrl' | 'dataDir'>, claimId: string): Promise<boolean> {
  const place = config.databaseUrl === null ? statePath(config) : { url: config.databaseUrl.reveal() }
  const store = await openStore({ ...place, now: Date.now })
  try {
    return await store.claims.retry(claimId)
  } finally {
    await store.close()
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from '../store-error.ts'

/**
 * Does work on the database, again while another process holds it for writing. Each try blocks the event loop for the
 * engine's busy timeout at most; between tries it runs. Throws `STORE_BUSY` after about ten seconds.
 */
export async function whenFree<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (tries === mostTries) {
        throw new StoreError('STORE_BUSY', 'Another process keeps the database busy.', { cause: error })
      }
      await sleep(20 + 10 * tries)
    }
  }
}

const mostTries = 30

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^SQLITE_(BUSY|LOCKED)/.test(String(error.code))
}

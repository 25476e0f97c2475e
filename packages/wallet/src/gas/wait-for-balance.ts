import { setTimeout as pause } from 'node:timers/promises'
import { throwIfAborted } from '../with-deadline.ts'
import type { GasDesk } from './submission.ts'

/**
 * Waits until the wallet holds `enoughWei`, at most until `until` (Unix milliseconds), and asks no oftener than fits in
 * between, also where a caller's `sleep` does not wait. Tells whether it does. Throws `ABORTED`: nothing of the call is out
 * while its gas is waited for.
 */
export async function waitForBalance(desk: BalanceDesk, enoughWei: bigint, until: number): Promise<boolean> {
  const { client, owner, chain, options } = desk
  const { now = Date.now, sleep = pauseFor, signal } = options
  const pollMs = Math.min(2_000, Math.max(100, chain.blockTimeSeconds * 500))
  let pausesLeft = Math.ceil((until - now()) / pollMs)
  for (;;) {
    const balanceWei = await client.getBalance({ address: owner }).catch(() => 0n)
    if (balanceWei >= enoughWei) return true
    const leftMs = until - now()
    pausesLeft -= 1
    if (leftMs <= 0 || pausesLeft < 0) return false
    throwIfAborted(signal)
    await sleep(Math.min(pollMs, leftMs), signal)
  }
}

/** What of the desk bears on a balance. */
export type BalanceDesk = Pick<GasDesk, 'chain' | 'client' | 'owner'> & {
  readonly options: Pick<GasDesk['options'], 'now' | 'sleep' | 'signal'>
}

async function pauseFor(ms: number, signal?: AbortSignal): Promise<void> {
  await pause(ms, undefined, signal && { signal }).catch(() => undefined)
}

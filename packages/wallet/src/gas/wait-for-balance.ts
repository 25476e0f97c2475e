import { setTimeout as pause } from 'node:timers/promises'
import type { GasDesk } from './gas-desk.ts'

/** Waits until the wallet holds `enoughWei`, at most until `until` (Unix milliseconds). Tells whether it does. */
export async function waitForBalance(desk: GasDesk, enoughWei: bigint, until: number): Promise<boolean> {
  const { client, owner, chain, options } = desk
  const { now = Date.now, sleep = pauseFor, signal } = options
  const pollMs = Math.min(2_000, Math.max(100, chain.blockTimeSeconds * 500))
  for (;;) {
    const balanceWei = await client.getBalance({ address: owner }).catch(() => 0n)
    if (balanceWei >= enoughWei) return true
    const leftMs = until - now()
    if (leftMs <= 0 || signal?.aborted === true) return false
    await sleep(Math.min(pollMs, leftMs), signal)
  }
}

async function pauseFor(ms: number, signal?: AbortSignal): Promise<void> {
  await pause(ms, undefined, signal && { signal }).catch(() => undefined)
}

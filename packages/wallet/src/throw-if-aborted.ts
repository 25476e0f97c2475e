import { WalletError } from './wallet-error.ts'

/** Throws `ABORTED` once the caller's signal is, with its reason as the cause. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return
  throw new WalletError('ABORTED', 'The caller gave up.', { cause: signal.reason })
}

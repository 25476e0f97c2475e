import { WalletError } from './wallet-error.ts'

/**
 * Does work that listens to a signal, which fires after `timeoutMs` or with the caller's own. Unlike `AbortSignal.timeout`
 * and `AbortSignal.any` it fires also when nothing but the work holds it: Node 20 lets those two be collected.
 */
export async function withDeadline<Result>(
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = new AbortController()
  const late = () => deadline.abort(new DOMException('It took too long.', 'TimeoutError'))
  const follow = () => deadline.abort(signal?.reason)
  const timer = setTimeout(late, timeoutMs)
  signal?.addEventListener('abort', follow)
  if (signal?.aborted) follow()
  try {
    return await work(deadline.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', follow)
  }
}

/** Throws `ABORTED` once the caller's signal is, with its reason as the cause. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return
  throw new WalletError('ABORTED', 'The caller gave up.', { cause: signal.reason })
}

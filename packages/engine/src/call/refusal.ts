import { type ErrorCode, type ErrorDetail, type Token, tokenLabel, ToolError } from '@svc/amm'
import { formatAmount } from '@svc/lp-math'
import type { StoreError } from '@svc/store'

/** Why the safety engine does not let an intent pass. A dry run reports all of them, a real call fails with the first. */
export type Refusal = {
  readonly code: ErrorCode
  readonly message: string
  readonly details?: readonly ErrorDetail[]
  /** The fix, where it is another one than the code's. */
  readonly suggestion?: string
  /** Whether the same call may succeed later, where this cause differs from the code's. */
  readonly retryable?: boolean
}

/** Throws the first refusal as a `ToolError`; the others stand in its details. */
export function throwFirst(refusals: readonly Refusal[]): void {
  const [first, ...others] = refusals
  if (first === undefined) return
  throw new ToolError(first.code, first.message, {
    ...(first.suggestion === undefined ? {} : { suggestion: first.suggestion }),
    ...(first.retryable === undefined ? {} : { retryable: first.retryable }),
    details: [...(first.details ?? []), ...others.map(({ code, message }) => ({ code, message }))],
  })
}

/** The result of a step that may have something against the intent. */
export type Weighed = { readonly refusals: readonly Refusal[] }

/** The refusal of a call that takes more than the wallet holds: of each token both in whole tokens, as a caller would write them. */
export function shortOf(shortages: readonly Shortage[], what = 'the call'): Refusal {
  const facts = shortages.map(({ token, holds, needs }) => ({
    token,
    holds: formatAmount(holds, token.decimals),
    needs: formatAmount(needs, token.decimals),
  }))
  const texts = facts.map(({ token, holds, needs }) => `${holds} ${tokenLabel(token)} where ${what} needs ${needs}`)
  return {
    code: 'INSUFFICIENT_BALANCE',
    message: [`The wallet holds ${texts.join(', and ')}.`, ...shortages.flatMap(inSmallestUnits)].join(' '),
    details: facts.map(({ token, holds, needs }) => ({
      message: 'in whole tokens',
      token: token.address,
      symbol: tokenLabel(token),
      holds,
      needs,
    })),
  }
}

/** What a caller meant who wrote smallest units where whole tokens stand: an amount that the wallet holds, and no speck of that. */
function inSmallestUnits({ token, holds, needs }: Shortage): readonly string[] {
  const meant = needs / 10n ** BigInt(token.decimals)
  if (token.decimals < 6 || meant === 0n || meant > holds || meant * 10_000n < holds) return []
  return [`Amounts are in whole tokens: were ${formatAmount(meant, token.decimals)} ${tokenLabel(token)} meant?`]
}

/** Both in the token's smallest units. */
type Shortage = { readonly token: Token; readonly holds: bigint; readonly needs: bigint }

/** Runs work on our own state. Whatever fails there becomes `STORAGE_UNAVAILABLE`: nothing is signed without it. */
export async function onStorage<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof ToolError) throw cause
    const refused = refusedByStore(cause)
    if (refused !== null) throw refused
    throw new ToolError('STORAGE_UNAVAILABLE', `The server's own state is not available: ${what}.`, { cause })
  }
}

/** What the store refuses for a reason of its own, `null` for what failed in it. */
export function refusedByStore(cause: unknown): ToolError | null {
  if (!isStoreError(cause)) return null
  if (cause.code === 'NOT_LEADER') return new ToolError('NOT_LEADER', cause.message, { cause })
  return cause.code === 'STORE_PAUSED'
    ? new ToolError('SERVER_PAUSED', 'The operator has paused signing.', { cause })
    : null
}

/** By its name: a server without state loads no store. */
function isStoreError(error: unknown): error is StoreError {
  return error instanceof Error && error.name === 'StoreError'
}

/**
 * Does one piece of clearing up by itself: what fails is logged under `event` and keeps neither the next piece nor a write
 * from going on. Throws `STORAGE_UNAVAILABLE` alone: without our own state nothing may be signed.
 */
export async function isolateFailure(
  { log }: { readonly log: PipelineLog },
  event: string,
  facts: Readonly<Record<string, unknown>>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof ToolError && endsAll.has(error.code)) throw error
    log.warn(event, { ...facts, error })
  }
}

const endsAll: ReadonlySet<string> = new Set(['STORAGE_UNAVAILABLE', 'NOT_LEADER'])

/** What the pipeline needs of the process's log. */
export type PipelineLog = {
  debug(event: string, facts?: Readonly<Record<string, unknown>>): void
  info(event: string, facts?: Readonly<Record<string, unknown>>): void
  warn(event: string, facts?: Readonly<Record<string, unknown>>): void
  error(event: string, facts?: Readonly<Record<string, unknown>>): void
}

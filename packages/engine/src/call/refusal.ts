import { type ErrorCode, type ErrorDetail, type Token, tokenLabel, ToolError } from '@svc/amm'
import { formatAmount } from '@svc/lp-math'

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

import { formatAmount } from '@svc/lp-math'
import { type Token, tokenLabel } from '@svc/amm'
import type { Refusal } from '../context/refusal.ts'

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
    message: `The wallet holds ${texts.join(', and ')}.`,
    details: facts.map(({ token, holds, needs }) => ({
      message: 'in whole tokens',
      token: token.address,
      symbol: tokenLabel(token),
      holds,
      needs,
    })),
  }
}

/** Both in the token's smallest units. */
export type Shortage = { readonly token: Token; readonly holds: bigint; readonly needs: bigint }

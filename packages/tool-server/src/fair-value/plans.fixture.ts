import type { Devnet } from '@svc/devnet'
import type { Intent, Version } from '@svc/amm'
import type { Pipeline } from '../../../engine/src/fixtures/open-pipeline.fixture.ts'
import { units } from './stranger.fixture.ts'

const limitsUsd = { perTransaction: '50000', perSession: '100000', daily: '250000' }

/** High limits, so that what a row is refused for is value. */
export const lenient = { limitsUsd, approvalThresholdUsd: null, allowlist: { mode: 'lenient' } } as const

/** A hundred dollars a day for what nobody vouches for. */
export const cautious = { policy: { ...lenient, speculativeUsd: '100' } } as const

/** The same for an operator who lists a token whose text is made to mislead, so that no person is asked about it. */
export function listingHostile({ chainId, tokens }: Devnet) {
  const hostile = tokens.flatMap(({ symbol, address }) => (symbol === 'HOSTILE' ? [address] : []))
  return { ...cautious.policy, allowlist: { mode: 'lenient', tokens: { [chainId]: hostile } } } as const
}

/** What `execute_swap` would hand in: the best route of a version, half a percent of slippage. */
export async function planSwap(
  pipeline: Pipeline,
  sold: string,
  bought: string,
  amount: string,
  version: Version,
): Promise<Intent> {
  const [tokenIn, tokenOut] = await Promise.all([sold, bought].map((symbol) => tokenOf(pipeline, symbol)))
  const amountIn = units(sold, amount)
  const tokens = { tokenIn: tokenIn!, tokenOut: tokenOut! }
  const quote = await pipeline.liquidity.quote(pipeline.chain, { ...tokens, amountIn, versions: [version] })
  const { intent } = await pipeline.liquidity.planSwap(pipeline.chain, quote, {
    ...tokens,
    slippageBps: 50,
    deadline: Number(await chainDeadline(pipeline)),
    recipient: pipeline.wallet,
  })
  return intent
}

/** Five minutes after the newest block, wherever its clock stands. */
export async function chainDeadline(pipeline: Pipeline): Promise<bigint> {
  const { timestamp } = await pipeline.rpc.head(pipeline.chain)
  return timestamp + 300n
}

function tokenOf(pipeline: Pipeline, symbol: string) {
  return pipeline.tokens.byAddress(pipeline.chain, pipeline.token(symbol))
}

import { erc20Abi } from '@svc/amm/abis'
import { contractRead, readOne } from '@svc/amm/rpc'
import { shortOf } from '@svc/engine'
import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import { exactOutRefusal, keepingTokens, slippageWithFees } from '../../analysis/detect-transfer-fee.ts'
import { valueUsd } from '../../analysis/value-usd.ts'
import { type Intent, type Quote, type Token, tokenLabel, ToolError, type Version } from '@svc/amm'
import { type Address, isAddressEqual } from 'viem'
import { writeTool } from '../../tool.ts'
import type { WriteContext } from '../../tool-context.ts'
import {
  anyVersionInput,
  chainInput,
  deadlineInput,
  deadlineOf,
  exactAmountOf,
  positiveAmountInput,
  requireDifferentTokens,
  tradeSlippageInput,
  tokenInput,
  tradeTypeInput,
} from '../params.ts'
import {
  impactNotes,
  notesResult,
  poolsOf,
  priceNotes,
  saleNotes,
  tokenAmount,
  tokenResult,
  tokenSummary,
  usdResult,
  tradeResult,
  tradeStamp,
  versionsIn,
} from '../results.ts'

export const executeSwap = writeTool({
  name: 'execute_swap',
  title: 'Swap tokens',
  description:
    'Sells an exact amount of a token, or buys one, over the best route of up to three pools, or over several routes where that brings more than its gas, and reports what really moved. Call get_quote first, or use dryRun. Never trades beyond slippageBps, pays the agent wallet only.',
  scope: 'write:trade',
  destructive: true,
  idempotent: false,
  input: z.strictObject({
    tokenIn: tokenInput,
    tokenOut: tokenInput,
    amount: positiveAmountInput.describe('In tokenIn; exact_out: in tokenOut'),
    type: tradeTypeInput.optional(),
    chain: chainInput,
    version: anyVersionInput.optional().describe('Only this version'),
    slippageBps: tradeSlippageInput.optional(),
    deadlineSeconds: deadlineInput,
  }),
  output: z.object({
    ...tradeResult,
    tokenIn: tokenResult,
    tokenOut: tokenResult,
    amountIn: z.string(),
    amountOut: z.string(),
    quotedAmountIn: z.string(),
    quotedAmountOut: z.string(),
    amountInUsd: usdResult,
    amountOutUsd: usdResult,
    price: z.number().describe('tokenOut per tokenIn'),
    priceImpactBps: z.number().describe('Negative: better than the market'),
    version: z.string(),
    pools: z.array(z.string()),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const tokenIn = await context.tokens.resolve(chain, input.tokenIn, 'tokenIn')
  const tokenOut = await context.tokens.resolve(chain, input.tokenOut, 'tokenOut')
  requireDifferentTokens(chain, tokenIn, tokenOut, 'tokenOut')
  const exact = exactAmountOf(input, tokenIn, tokenOut)
  const way = wayOf(chain, input, context.keptParts()?.[0] ?? null)
  const [found, priceIn, priceOut] = await Promise.all([
    context.liquidity
      .quote(chain, { tokenIn, tokenOut, ...exact, ...way.pools })
      .catch(async (error: unknown) => Promise.reject((await notHeld(chain, tokenIn, exact, context, error)) ?? error)),
    context.prices.usd(chain, tokenIn),
    context.prices.usd(chain, tokenOut),
  ])
  const quote = way.isUniversal ? asParts(found) : found
  const isExactOut = quote.isExactOut === true
  const planned = await context.liquidity.planSwap(chain, quote, {
    tokenIn,
    tokenOut,
    slippageBps: input.slippageBps ?? context.defaults.slippageBps,
    deadline: deadlineOf(input.deadlineSeconds ?? Math.min(context.defaults.deadlineSeconds, tradeSeconds), context),
    recipient: context.wallet.address,
    keptReceipts: context.keptReceipts(),
    keptSpends: context.keptParts()?.[0]?.spends,
    ...(input.version === undefined ? { alone: { keptRouter: way.keptRouter } } : {}),
  })
  const notes = await saleNotes(context, chain, [tokenOut, priceOut])
  try {
    return await context.execute({ ...planned.intent, notes }, async (settled) => {
      const moved = await planned.decode(settled)
      const { through = poolsOf(quote) } = moved
      const priceImpactBps = settled.priceImpactBps ?? quote.priceImpactBps
      const [sold, bought] = [tokenAmount(moved.amountIn, tokenIn), tokenAmount(moved.amountOut, tokenOut)]
      return {
        ...tradeStamp(chain, planned.intent, settled),
        tokenIn: tokenSummary(tokenIn),
        tokenOut: tokenSummary(tokenOut),
        amountIn: sold,
        amountOut: bought,
        quotedAmountIn: tokenAmount(quote.amountIn, tokenIn),
        quotedAmountOut: tokenAmount(quote.amountOut, tokenOut),
        amountInUsd: valueUsd(moved.amountIn, tokenIn, priceIn),
        amountOutUsd: valueUsd(moved.amountOut, tokenOut, priceOut),
        price: Number(bought) / Number(sold),
        priceImpactBps,
        version: versionsIn(through),
        pools: through.map(({ pool }) => pool),
        notes: [
          ...(planned.notes ?? []),
          ...impactNotes(priceImpactBps),
          ...planNotes(moved.amountOut, tokenOut, context),
          ...settled.warnings,
          ...priceNotes([tokenIn, priceIn], [tokenOut, priceOut]),
        ],
      }
    })
  } catch (error) {
    throw (await keptByTransfers(chain, { tokens: [tokenIn, tokenOut], isExactOut }, context, error)) ?? error
  }
})

/**
 * Where a route is looked for. A plan is carried out by the router that it names, since the allowance that it showed is of that: through
 * the universal one whatever is best by then.
 */
function wayOf(
  { amm }: Chain,
  input: { readonly version?: Version | undefined; readonly type?: string | undefined },
  kept: Intent | null,
): Way {
  const keptRouter = kept?.calls[0]?.to ?? null
  const { version } = input
  const named = { keptRouter, isUniversal: false }
  if (version !== undefined) return { ...named, pools: { versions: [version] } }
  if (keptRouter === null) return { ...named, pools: { maySplit: true } }
  const isKept = (router: Address | undefined) => router !== undefined && isAddressEqual(router, keptRouter)
  if (isKept(amm.v2?.router)) return { ...named, pools: { versions: ['v2'] } }
  if (isKept(amm.v3?.swapRouter02)) return { ...named, pools: { versions: ['v3'] } }
  return input.type === 'exact_out'
    ? { ...named, pools: { versions: ['v4'] } }
    : { keptRouter, isUniversal: true, pools: { maySplit: true } }
}

type Way = {
  readonly keptRouter: Address | null
  readonly isUniversal: boolean
  readonly pools: { readonly versions?: readonly Version[]; readonly maySplit?: true }
}

/** A route of v2 or v3 alone as the only part of a trade through the universal router. */
function asParts(quote: Quote): Quote {
  if (quote.parts !== undefined || quote.version === 'v4') return quote
  const { version, route, amountIn, amountOut } = quote
  return { ...quote, parts: [{ version, route, amountIn, amountOut }] }
}

/** What the plan that was carried out showed, where less came of it. */
function planNotes(came: bigint, token: Token, context: WriteContext): readonly string[] {
  const planned = context.plannedChange(token)
  if (planned === null || came >= planned) return []
  const least = context.keptReceipts().find(({ token: of }) => of.toLowerCase() === token.address.toLowerCase())
  const [shown, atLeast] = [planned, least?.amount ?? 0n].map((amount) => tokenAmount(amount, token))
  return [
    `The plan showed ${shown} ${tokenLabel(token)}, and at least ${atLeast}: a plan is routed anew when it is carried out, at the prices of then.`,
  ]
}

/** What no pool can take is often more than the wallet holds, and that is said first. `null` for other failures. */
async function notHeld(
  chain: Chain,
  token: Token,
  exact: ReturnType<typeof exactAmountOf>,
  { rpc, wallet: { address } }: WriteContext,
  error: unknown,
): Promise<ToolError | null> {
  if (!('amountIn' in exact) || !(error instanceof ToolError) || error.code !== 'INSUFFICIENT_LIQUIDITY') return null
  const { amountIn: needs } = exact
  const client = rpc.client(chain)
  const reading = token.isNative
    ? client.getBalance({ address })
    : readOne(client, contractRead(token.address, erc20Abi, 'balanceOf', [address]))
  const holds = await reading.catch(() => null)
  if (holds === null || holds >= needs) return null
  const { code, message, details = [] } = shortOf([{ token, holds, needs }])
  return new ToolError(code, message, { details, cause: error })
}

/**
 * A token that keeps a part of each transfer stays below what a swap must bring, however often it is called: the error
 * names the token and the slippage it takes. `null` for other failures.
 */
async function keptByTransfers(
  chain: Chain,
  { tokens, isExactOut }: { readonly tokens: readonly Token[]; readonly isExactOut: boolean },
  context: WriteContext,
  error: unknown,
): Promise<ToolError | null> {
  const codes = isExactOut ? ['SIMULATION_DRIFT', 'SIMULATION_FAILED', 'UNSAFE_TRANSACTION'] : ['SIMULATION_DRIFT']
  if (!(error instanceof ToolError) || !codes.includes(error.code)) return null
  const keeping = await keepingTokens(context, chain, tokens)
  if (keeping.length === 0) return null
  if (isExactOut) return exactOutRefusal(keeping, error)
  const shown = keeping.map(({ says }) => says).join(', ')
  const enough = `at least ${slippageWithFees(keeping, context.defaults.slippageBps)}, where the policy allows so much`
  return new ToolError('SIMULATION_FAILED', `The swap would bring less than slippageBps permits: ${shown}.`, {
    suggestion: `Choose another token, or set slippageBps to ${enough}.`,
    details: keeping.map(({ token, feeBps }) => ({
      field: 'slippageBps',
      message: 'the token keeps a part of each transfer',
      accepted: enough,
      token: token.address,
      transferFeeBps: feeBps,
    })),
    cause: error,
  })
}

/**
 * Unless its caller says otherwise a trade may be mined for so long. Whoever decides what is mined may hold it back while the market moves
 * away from it, which no minimum stands against. Its approval has its confirmations first: on the slowest chains a minute.
 */
const tradeSeconds = 180

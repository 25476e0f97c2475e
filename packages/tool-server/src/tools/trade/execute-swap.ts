import { erc20Abi } from '@svc/amm/abis'
import { contractRead, readOne } from '@svc/amm/rpc'
import { shortOf } from '@svc/engine'
import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import { keepingTokens, slippageWithFees } from '../../analysis/detect-transfer-fee.ts'
import { valueUsd } from '../../analysis/value-usd.ts'
import { type Token, tokenLabel, ToolError } from '@svc/amm'
import { writeTool, type WriteContext } from '../../tool.ts'
import {
  amountOf,
  anyVersionInput,
  chainInput,
  deadlineInput,
  deadlineOf,
  positiveAmountInput,
  requireDifferentTokens,
  tradeSlippageInput,
  tokenInput,
} from '../params.ts'
import {
  impactNotes,
  notesResult,
  priceNotes,
  saleNotes,
  tokenAmount,
  tokenResult,
  tokenSummary,
  usdResult,
  tradeResult,
  tradeStamp,
} from '../results.ts'

export const executeSwap = writeTool({
  name: 'execute_swap',
  title: 'Swap tokens',
  description:
    'Sells an exact amount of a token over the best route, at most one token between, and reports what really moved. Call get_quote first, or use dryRun. Never trades beyond slippageBps, pays the agent wallet only.',
  scope: 'write:trade',
  destructive: true,
  idempotent: false,
  input: z.strictObject({
    tokenIn: tokenInput,
    tokenOut: tokenInput,
    amount: positiveAmountInput.describe('In tokenIn'),
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
  const amountIn = amountOf(input.amount, tokenIn, 'amount')
  const versions = input.version === undefined ? {} : { versions: [input.version] }
  const [quote, priceIn, priceOut] = await Promise.all([
    context.liquidity
      .quote(chain, { tokenIn, tokenOut, amountIn, ...versions })
      .catch(async (error: unknown) =>
        Promise.reject((await notHeld(chain, tokenIn, amountIn, context, error)) ?? error),
      ),
    context.prices.usd(chain, tokenIn),
    context.prices.usd(chain, tokenOut),
  ])
  const planned = await context.liquidity.planSwap(chain, quote, {
    tokenIn,
    tokenOut,
    slippageBps: input.slippageBps ?? context.defaults.slippageBps,
    deadline: deadlineOf(input.deadlineSeconds ?? Math.min(context.defaults.deadlineSeconds, tradeSeconds), context),
    recipient: context.wallet.address,
    keptReceipts: context.keptReceipts(),
    ...(input.version === undefined ? { alone: { keptRouter: context.keptParts()?.[0]?.calls[0]?.to ?? null } } : {}),
  })
  const notes = await saleNotes(context, chain, [tokenOut, priceOut])
  try {
    return await context.execute({ ...planned.intent, notes }, async (settled) => {
      const moved = await planned.decode(settled)
      const { through = quote.route.map(({ pool }) => ({ version: quote.version, pool: pool.id })) } = moved
      const priceImpactBps = settled.priceImpactBps ?? quote.priceImpactBps
      const [sold, bought] = [tokenAmount(moved.amountIn, tokenIn), tokenAmount(moved.amountOut, tokenOut)]
      return {
        ...tradeStamp(chain, planned.intent, settled),
        tokenIn: tokenSummary(tokenIn),
        tokenOut: tokenSummary(tokenOut),
        amountIn: sold,
        amountOut: bought,
        quotedAmountOut: tokenAmount(quote.amountOut, tokenOut),
        amountInUsd: valueUsd(moved.amountIn, tokenIn, priceIn),
        amountOutUsd: valueUsd(moved.amountOut, tokenOut, priceOut),
        price: Number(bought) / Number(sold),
        priceImpactBps,
        version: [...new Set(through.map(({ version }) => version))].join(', '),
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
    throw (await keptByTransfers(chain, [tokenIn, tokenOut], context, error)) ?? error
  }
})

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
  needs: bigint,
  { rpc, wallet: { address } }: WriteContext,
  error: unknown,
): Promise<ToolError | null> {
  if (!(error instanceof ToolError) || error.code !== 'INSUFFICIENT_LIQUIDITY') return null
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
  tokens: readonly Token[],
  context: WriteContext,
  error: unknown,
): Promise<ToolError | null> {
  if (!(error instanceof ToolError) || error.code !== 'SIMULATION_DRIFT') return null
  const keeping = await keepingTokens(context, chain, tokens)
  if (keeping.length === 0) return null
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

import { larger } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { decodeFunctionResult, encodeFunctionData, type Address, type Hex } from 'viem'
import type { Intent } from '../intent.ts'
import type { IntentCrossChain } from '../intent-cross-chain.ts'
import { describeAmounts, routineIntent } from '../liquidity/planning/plan-payment.ts'
import type { PriceBand, PriceSource, RpcPool, Token } from '../ports.ts'
import { settlerAbi } from '../abis/cross-chain.ts'
import type { CrossChain, CrossChainPlan, CrossChainRequest } from '../ports/orders.ts'
import { ToolError } from '../tool-error.ts'
import {
  crossChainOrderIdOf,
  type CrossChainTerms,
  onchainOrder,
  openCalldata,
  resolvedDifferences,
} from './cross-chain-form.ts'

export {
  announcesOrder,
  crossChainOrderIdOf,
  openCalldata,
  orderDataType,
  readOpenCalldata,
} from './cross-chain-form.ts'
export { readCrossChainFill, readCrossChainRefund } from './read-cross-chain-facts.ts'

/**
 * Orders of ERC-7683, opened on chain. The settler is the chain's, the order is worded here, and what the settler says of it is only held
 * against that.
 */
export function createCrossChain(ports: CrossChainPorts): CrossChain {
  return {
    planOpen: (chain, request) => planOpen(ports, chain, request),
    destinations: ({ id, crossChainSettler }) =>
      crossChainSettler === undefined ? [] : withSettler(ports).filter((one) => one.id !== id),
  }
}

export type CrossChainPorts = {
  readonly rpc: Pick<RpcPool, 'client'>
  readonly prices: Pick<PriceSource, 'usd'>
  /** Of this server, to name those that have a settler. */
  readonly chains: readonly Chain[]
  /** Never the same twice, and not zero. */
  readonly pickNonce: () => bigint
}

async function planOpen(ports: CrossChainPorts, chain: Chain, request: CrossChainRequest): Promise<CrossChainPlan> {
  const { destination, tokenIn, tokenOut, amountIn, fillDeadline, wallet } = request
  const settler = requireSettler(ports, chain, 'chain')
  const destinationSettler = requireSettler(ports, destination, 'destinationChain')
  if (destination.id === chain.id) {
    throw invalid('destinationChain', 'Accepted: another chain; execute_swap trades on one.')
  }
  for (const [field, token, at] of [
    ['tokenIn', tokenIn, chain],
    ['tokenOut', tokenOut, destination],
  ] as const) {
    if (token.isNative) throw invalid(field, `Accepted: an ERC-20 token, such as ${at.wrappedNative.symbol}.`)
  }
  const outputAmount = larger(await leastOutput(ports, chain, request), request.leastOut)
  const terms: CrossChainTerms = {
    settler,
    nonce: ports.pickNonce(),
    fillDeadline,
    inputToken: tokenIn.address,
    inputAmount: amountIn,
    destinationChainId: destination.id,
    destinationSettler,
    outputToken: tokenOut.address,
    outputAmount,
    recipient: wallet,
  }
  const place = { chainId: chain.id, wallet }
  const order: IntentCrossChain = { ...terms, orderId: crossChainOrderIdOf(terms, place) }
  await requireSameReading(ports, chain, order, wallet)
  return { order, intent: intentOf(chain, request, order) }
}

function withSettler({ chains }: CrossChainPorts): readonly Chain[] {
  return chains.filter((one) => one.crossChainSettler !== undefined)
}

function requireSettler(ports: CrossChainPorts, { name, crossChainSettler }: Chain, field: string): Address {
  if (crossChainSettler !== undefined) return crossChainSettler
  const accepted = withSettler(ports).map((one) => one.name)
  throw new ToolError('CROSS_CHAIN_NOT_SUPPORTED', `No settler of cross-chain orders is known on ${name}.`, {
    details: [{ field, message: 'Accepted: a chain with a settler.', accepted }],
  })
}

function invalid(field: string, message: string): ToolError {
  return new ToolError('VALIDATION_FAILED', `${field} is not accepted.`, { details: [{ field, message }] })
}

/** What the amount is worth on the destination at trusted prices of both chains, less slippage and fee. */
async function leastOutput(
  { prices }: CrossChainPorts,
  chain: Chain,
  { destination, tokenIn, tokenOut, amountIn, slippageBps, relayerFeeBps }: CrossChainRequest,
): Promise<bigint> {
  const [bandIn, bandOut] = await Promise.all([
    bandOf(prices, chain, tokenIn, 'tokenIn'),
    bandOf(prices, destination, tokenOut, 'tokenOut'),
  ])
  const kept = BigInt(10_000 - slippageBps - relayerFeeBps)
  const worth = amountIn * bandIn.midE18 * kept * 10n ** BigInt(tokenOut.decimals)
  const output = worth / (bandOut.midE18 * 10_000n * 10n ** BigInt(tokenIn.decimals))
  if (output <= 0n) throw invalid('amount', 'Accepted: an amount that is worth at least one unit of tokenOut.')
  return output
}

async function bandOf(
  prices: CrossChainPorts['prices'],
  chain: Chain,
  token: Token,
  field: string,
): Promise<PriceBand> {
  const price = await prices.usd(chain, token)
  if (price?.band != null && price.band.midE18 > 0n) return price.band
  const message = 'No named source says what it is worth now, so no least output can be asked for.'
  throw new ToolError('PRICE_UNAVAILABLE', `${field}: ${message}`, { details: [{ field, message }] })
}

/** The settler is asked what it would make of the order; whatever it makes of it that is not the order is refused. */
async function requireSameReading(
  { rpc }: CrossChainPorts,
  chain: Chain,
  order: IntentCrossChain,
  wallet: Address,
): Promise<void> {
  const data = encodeFunctionData({ abi: settlerAbi, functionName: 'resolve', args: [onchainOrder(order)] })
  const answer = await rpc.client(chain).call({ account: wallet, to: order.settler, data })
  const members = differences(answer.data ?? '0x', order, { chainId: chain.id, wallet })
  if (members.length === 0) return
  throw new ToolError('UNSAFE_TRANSACTION', 'The settler reads the order as another one.', {
    details: members.map((member) => ({ field: `order.${member}`, message: 'Not what was asked for.' })),
    suggestion: 'Nothing was signed. Have the operator look at the settler of this chain.',
  })
}

function differences(answer: Hex, order: IntentCrossChain, place: { chainId: number; wallet: Address }) {
  try {
    const said = decodeFunctionResult({ abi: settlerAbi, functionName: 'resolve', data: answer })
    return resolvedDifferences(order, place, said)
  } catch {
    return ['resolve']
  }
}

function intentOf(chain: Chain, request: CrossChainRequest, order: IntentCrossChain): Intent {
  const { destination, tokenIn, tokenOut, amountIn, slippageBps, relayerFeeBps } = request
  const amounts = (token: Token, amount: bigint) => describeAmounts([{ token, amount }], 'exact')
  const until = new Date(order.fillDeadline * 1_000).toISOString()
  return {
    ...routineIntent(chain, {
      calls: [{ to: order.settler, data: openCalldata(order), valueWei: 0n, label: 'open cross-chain order' }],
      atomicity: 'single',
      spends: [{ token: tokenIn.address, amount: amountIn }],
      approvals: [
        { token: tokenIn.address, spender: order.settler, amount: amountIn, via: 'erc20', revokeAfter: true },
      ],
      slippageBps: slippageBps + relayerFeeBps,
      deadline: order.fillDeadline,
      recipients: [order.recipient],
      why: `Give ${amounts(tokenIn, amountIn)} on ${chain.name} to whoever pays this wallet ${amounts(tokenOut, order.outputAmount)} on ${destination.name} until ${until}; what nobody fills comes back later.`,
    }),
    crossChain: order,
  }
}

import { amount, brief, dollars, number, percent } from './transcript.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Agent, proveTransactions } from './agent.ts'
import { getIdentity, moveToOtherChain, type Scene, useVault } from './chapters.ts'
import * as shapes from './shapes.ts'

/** The life of one liquidity position: found, entered, watched, harvested and left, while others trade. */
export async function tellStory(scene: Scene): Promise<void> {
  const { agent, transcript, world } = scene
  await ground(scene)
  await getIdentity(scene)
  const fee = await findPool(scene)
  await askPrice(scene)
  const entry = await addLiquidity(scene, fee)
  await letOthersTrade(scene, entry.positionId)
  const compounded = await compound(scene, entry.positionId)
  const fees = await collect(scene, entry.positionId)
  await swap(scene)
  await swapByOrder(scene)
  await useVault(scene)
  await moveToOtherChain(scene)
  const moved = await rebalance(scene, entry.positionId)
  const harvested = await harvest(scene, moved.positionId)
  await beRefused(scene)
  await leave(scene, entry, {
    positionId: moved.positionId,
    feesUsd: compounded.feesUsd + fees + moved.feesUsd + harvested,
    cameUsd: compounded.cameUsd + fees + moved.cameUsd + harvested,
  })
  transcript.chapter('Proof', 'A story is only as good as its chain: here is what that says, asked directly.')
  transcript.line('')
  const { rpc, wallet } = world.ready
  await proveTransactions(agent.transactions, { rpcUrl: rpc.url, wallet: wallet.address, transcript })
  transcript.end(
    `All ${agent.transactions.size} transactions stand on the chain, each successful, and the wallet sent no others.`,
  )
}

type Entry = Awaited<ReturnType<typeof addLiquidity>>

const chain = 'local'
const pair = { token0: 'WETH', token1: 'USDC', chain }

async function ground({ world, agent, transcript }: Scene): Promise<void> {
  const { ready } = world
  transcript.title(
    'The life of a liquidity position',
    'A scripted agent talks MCP to the svc server, which holds the wallet and the limits. The chain is local, its ' +
      'Uniswap contracts are the real ones, and every number below was read from it. The money alone is not real.',
  )
  const { limitsUsd, approvalThresholdUsd } = await agent.look('check_safety_status', {}, shapes.safety)
  const limits = [limitsUsd.perTransaction, limitsUsd.perSession, limitsUsd.daily].map((usd) => number(Number(usd)))
  const approval = approvalThresholdUsd === null ? 'nobody is asked' : `a person is asked above ${approvalThresholdUsd}`
  transcript.row(
    'chain',
    `${ready.rpc.url}, ${ready.pools.length + 1} pools, thirty days of trading by others behind it`,
  )
  transcript.row('server', `${ready.mcp.url}, ${agent.tools} tools`)
  transcript.row('wallet', ready.wallet.address)
  transcript.row(
    'policy',
    `for this chain alone: ${limits[0]} USD a transaction, ${limits[1]} a session, ${limits[2]} a day, ${approval}. ` +
      'Anywhere else it is 500, 1,000 and 2,000, and a person is asked above 250.',
  )
}

/** The fee tier that paid most, among the pools deep enough for the amount. */
async function findPool({ agent, transcript }: Scene): Promise<number> {
  transcript.chapter('Find the pool', 'One pair trades in many pools; what they pay to liquidity differs widely.')
  const { items } = await agent.call('get_pools_by_token_pair', { ...pair, version: 'v3' }, shapes.pools)
  transcript.line('pool               holds  traded in 7 days  fees a year')
  for (const { version, fee, tvlUsd, volume7dUsd, feeApr7d } of items) {
    const columns = [dollars(tvlUsd).padStart(13), dollars(volume7dUsd).padStart(16)]
    const apr = feeApr7d === null ? 'unknown' : percent(feeApr7d)
    transcript.line(`${version} ${percent(fee / 10_000).padEnd(7)} ${columns.join('  ')}  ${apr.padStart(11)}`)
  }
  const deep = items.filter(({ tvlUsd }) => (tvlUsd ?? 0) > 5_000_000)
  const best = deep.toSorted((a, b) => (b.feeApr7d ?? 0) - (a.feeApr7d ?? 0))[0]
  if (best === undefined) throw new Error('There is no deep pool of the pair')
  transcript.aside(`It takes the one at ${percent(best.fee / 10_000)}: of the deep ones, it paid most.`)
  return best.fee
}

async function askPrice({ agent, transcript }: Scene): Promise<void> {
  transcript.chapter(
    'Ask the price',
    'A quote runs the real contracts and says what a trade would bring, before anything is at stake.',
  )
  const input = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', chain }
  const quote = await agent.call('get_quote', input, shapes.quote)
  transcript.said(
    `1 WETH brings ${amount(quote.amountOut, 'USDC')} on ${quote.version}, at least ${number(Number(quote.minAmountOut))} ` +
      `after slippage. It would move the price by ${percent(quote.priceImpactBps / 100)} and cost ${dollars(quote.gasUsd)} of gas.`,
  )
}

async function addLiquidity({ agent, transcript }: Scene, fee: number) {
  transcript.chapter(
    'Add liquidity',
    'First a plan, from which the agent sees what would happen. Only the second call signs.',
  )
  const entry = { ...pair, fee, amount0: '5', rangeStrategy: 'medium' }
  const { plan } = await agent.call('add_liquidity', { ...entry, dryRun: true }, shapes.planned)
  const leaving = plan.deltas.filter(({ amount: delta }) => delta.startsWith('-'))
  transcript.said(
    `Would take ${leaving.map((delta) => amount(delta.amount.slice(1), delta.symbol)).join(' and ')} in ` +
      `${plan.steps.length} transactions, for ${dollars(plan.gasCostUsd)} of gas. The policy allows it. Nothing is signed.`,
  )
  const order = { ...entry, idempotencyKey: 'demo-entry' }
  const added = await agent.call('add_liquidity', order, shapes.added)
  const checks = Object.values(added.safetyChecks).every(Boolean)
    ? 'tokens listed, within the limits, simulated first'
    : 'NOT all passed'
  const others = `${added.transactions.length - 1} more for exact allowances`
  transcript.row('position', `number ${added.positionId}, minted in ${brief(added.txHash)}; ${others}`)
  transcript.row('holds', `${amount(added.amount0Deposited, 'WETH')} and ${amount(added.amount1Deposited, 'USDC')}`)
  transcript.row(
    'earns',
    `between ${number(added.priceLower ?? 0)} and ${number(added.priceUpper ?? Infinity)} USDC; the price is ${number(added.currentPrice)}`,
  )
  const apy = added.estimatedFeeApy7d
  if (apy !== null) transcript.row('expects', `${percent(apy)} of fees a year, going by the last seven days`)
  transcript.row('checked', checks)
  const again = await agent.call('add_liquidity', order, shapes.added)
  if (again.txHash !== added.txHash) throw new Error('The same call was carried out twice')
  transcript.said('The same call once more, as if its answer had been lost: the same answer, and nothing was sent.')
  return added
}

async function letOthersTrade({ agent, transcript, trader }: Scene, positionId: string): Promise<void> {
  transcript.chapter('Let others trade', 'Whoever swaps in the range pays the position its share of the fee.')
  transcript.asked('get_position', { positionId, chain })
  for (let look = 0; look < 5; look++) {
    await sleep(1_500)
    const seen = await agent.look('get_position', { positionId, chain }, shapes.position)
    const waiting = `${amount(seen.feesOwed0, seen.token0Symbol)} and ${amount(seen.feesOwed1, seen.token1Symbol)}`
    const where = seen.inRange ? 'in range' : 'out of range'
    transcript.row(
      `${trader.trades()} trades`,
      `${where}, worth ${dollars(seen.valueUsd)}; waiting: ${dollars(seen.feesUsd)} (${waiting})`,
    )
  }
}

async function compound({ agent, transcript }: Scene, positionId: string): Promise<Earned> {
  transcript.chapter(
    'Compound the fees',
    'What the position has earned goes to work, in one transaction or not at all.',
  )
  // Others trade all the while: the default half of a per cent may be used up before it is mined.
  const input = { positionId, chain, swapToRatio: false, slippageBps: 100 }
  const { feesCollected, reinvested, ...done } = await agent.call('compound_fees', input, shapes.compounded)
  const parts = `${amount(reinvested.amount0, done.token0Symbol)} and ${amount(reinvested.amount1, done.token1Symbol)}`
  transcript.said(
    `Of ${dollars(feesCollected.totalUsd)} it added ${parts} in ${brief(done.txHash)}; the rest came to the wallet.`,
  )
  const [left0, left1] = [0, 1].map((side) => {
    const name = `amount${side as 0 | 1}` as const
    return Number(feesCollected[name]) - Number(reinvested[name])
  })
  const { priceUsd } = await agent.look('get_token_price', { token: 'WETH', chain }, shapes.price)
  const [weth = 0, usdc = 0] = done.token0Symbol === 'WETH' ? [left0, left1] : [left1, left0]
  return { feesUsd: feesCollected.totalUsd ?? 0, cameUsd: weth * priceUsd + usdc }
}

/** Fees, and what came to the wallet before the end, fees included, in dollars. */
type Earned = { readonly feesUsd: number; readonly cameUsd: number }

type Moved = Earned & { readonly positionId: string }

async function rebalance({ agent, transcript }: Scene, positionId: string): Promise<Moved> {
  transcript.chapter(
    'Move the range',
    'Own liquidity that goes back into its pool is no spend; what is swapped on the way is. It says whether it pays.',
  )
  const input = { positionId, token0: 'WETH', rangeStrategy: 'narrow', swapToRatio: false, chain }
  const {
    closedPosition: old,
    newPosition: now,
    ...done
  } = await agent.call('rebalance_position', input, shapes.rebalanced)
  const how = done.atomicity === 'sequential' ? 'closed, swapped, opened' : 'in one transaction'
  transcript.row(
    'position',
    `number ${now.positionId} in place of ${positionId}, ${how}, for ${dollars(done.gasCostUsd)} of gas`,
  )
  transcript.row('earns', `between ${number(now.priceLower ?? 0)} and ${number(now.priceUpper ?? Infinity)} USDC`)
  for (const note of done.notes) transcript.said(note)
  const { priceUsd } = await agent.look('get_token_price', { token: 'WETH', chain }, shapes.price)
  const weth = Number(old.amount0Received) - Number(now.amount0Deposited)
  const usdc = Number(old.amount1Received) - Number(now.amount1Deposited)
  const feesUsd = old.feesCollected.totalUsd ?? 0
  return { positionId: now.positionId, feesUsd, cameUsd: weth * priceUsd + usdc }
}

async function collect({ agent, transcript }: Scene, positionId: string): Promise<number> {
  transcript.chapter('Collect the fees', 'They go to the wallet and nowhere else; the liquidity stays where it is.')
  await earnADollar(agent, positionId)
  const {
    feesCollected: got,
    txHash,
    gasCostUsd,
  } = await agent.call('collect_fees', { positionId, chain }, shapes.collected)
  const parts = `${amount(got.amount0, got.amount0Symbol)} and ${amount(got.amount1, got.amount1Symbol)}`
  transcript.said(`${dollars(got.totalUsd)} arrived (${parts}) in ${brief(txHash)}, for ${dollars(gasCostUsd)} of gas.`)
  return got.totalUsd ?? 0
}

/** Waits until trades of others have paid a dollar, and something on both sides. */
async function earnADollar(agent: Agent, positionId: string): Promise<void> {
  for (;;) {
    const waits = await agent.look('get_position', { positionId, chain }, shapes.position)
    if ((waits.feesUsd ?? 0) >= 1 && Number(waits.feesOwed0) > 0 && Number(waits.feesOwed1) > 0) return
    await sleep(500)
  }
}

async function harvest({ agent, transcript }: Scene, positionId: string): Promise<number> {
  transcript.chapter('Harvest', 'What all positions have earned, in as few transactions as can be, and in one token.')
  await earnADollar(agent, positionId)
  const input = { targetToken: 'USDC', includeRewards: false, chain, idempotencyKey: 'demo-harvest' }
  const { summary, consolidationSwaps, transactions } = await agent.call('harvest_rewards', input, shapes.harvested)
  const swaps = consolidationSwaps.map(
    (one) => `, of it ${amount(one.amountOut, 'USDC')} for ${amount(one.amountIn, one.tokenIn)}`,
  )
  transcript.said(
    `${amount(summary.consolidatedAmount, 'USDC')} came${swaps.join('')}, in ${transactions.length} transactions with the ` +
      `allowance for the swap. After gas that is ${dollars(summary.netValueUsd)}.`,
  )
  return summary.totalFeesUsd ?? 0
}

async function swap({ agent, transcript }: Scene): Promise<void> {
  transcript.chapter(
    'Swap',
    'An exact allowance, gone after the call; at most one percent worse than the quote, or nothing.',
  )
  const input = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.5', slippageBps: 100, chain }
  const swapped = await agent.call('execute_swap', input, shapes.swapped)
  transcript.said(
    `Sold ${amount(swapped.amountIn, 'WETH')} for ${amount(swapped.amountOut, 'USDC')}, that is ${number(swapped.price)} each, ` +
      `in ${brief(swapped.txHash)}. Quoted: ${amount(swapped.quotedAmountOut, 'USDC')}.`,
  )
}

async function swapByOrder({ agent, transcript }: Scene): Promise<void> {
  transcript.chapter(
    'Swap by an order',
    'The wallet signs what it asks for, and somebody else brings it to the chain. It counts as spent from the signature on.',
  )
  const input = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.5', slippageBps: 100, chain }
  const placed = await agent.call('submit_uniswapx_order', input, shapes.ordered)
  transcript.said(
    `Signed: ${amount(placed.amountIn, 'WETH')} for ${amount(placed.startAmountOut, 'USDC')} at first and at least ` +
      `${amount(placed.minAmountOut, 'USDC')}, to whoever fills it until ${placed.expiresAt.slice(11, 19)} UTC.`,
  )
  const { operationId } = placed
  transcript.asked('get_operation', { operationId })
  for (;;) {
    const { state, result } = await agent.look('get_operation', { operationId }, shapes.order)
    if (state !== 'open') {
      const came = result.amountOut === null ? 'nothing' : amount(result.amountOut, 'USDC')
      transcript.said(`${state}: ${came} came in ${brief(result.txHash ?? '')}, which the filler paid for.`)
      return
    }
    await sleep(200)
  }
}

async function beRefused({ agent, transcript }: Scene): Promise<void> {
  transcript.chapter(
    'Be refused',
    'The agent may be wrong, or talked into something. What it may not do is decided elsewhere.',
  )
  const swapOf = (more: Readonly<Record<string, unknown>>) => ({ tokenIn: 'WETH', tokenOut: 'USDC', chain, ...more })
  for (const [input, code] of [
    [swapOf({ amount: '40' }), 'SPENDING_LIMIT_EXCEEDED'],
    [swapOf({ amount: '1', slippageBps: 5_000 }), 'SLIPPAGE_TOO_HIGH'],
    [swapOf({ amount: '1.0000000000000000001' }), 'VALIDATION_FAILED'],
  ] as const) {
    const refusal = await agent.refused('execute_swap', input, [code])
    transcript.said(`${refusal.code}: ${refusal.message} ${refusal.suggestion}`)
  }
}

async function leave({ agent, transcript, trader }: Scene, entry: Entry, moved: Moved): Promise<void> {
  const { positionId, feesUsd, cameUsd } = moved
  transcript.chapter(
    'Leave, and count',
    'What it brought is what came back, against what the same tokens would be worth untouched.',
  )
  const removed = await agent.call('remove_liquidity', { positionId, chain }, shapes.removed)
  const { priceUsd } = await agent.look('get_token_price', { token: 'WETH', chain }, shapes.price)
  const { allowances } = await agent.look('get_agent_balance', { chain }, shapes.balance)
  const heldUsd = Number(entry.amount0Deposited) * priceUsd + Number(entry.amount1Deposited)
  const outUsd = (removed.totalReceivedUsd ?? 0) + cameUsd
  transcript.row('put in', dollars((entry.amount0DepositedUsd ?? 0) + (entry.amount1DepositedUsd ?? 0)))
  transcript.row(
    'got out',
    `${dollars(outUsd)}, ${dollars(feesUsd + (removed.feesCollected.totalUsd ?? 0))} of it fees`,
  )
  transcript.row('untouched', `the same tokens would now be worth ${dollars(heldUsd)}`)
  transcript.row(
    'left behind',
    `${allowances.length} allowances; ${trader.trades()} trades by others went by meanwhile`,
  )
}

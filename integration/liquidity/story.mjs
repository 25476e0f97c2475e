// Every liquidity tool of the specification, called in an order in which each has something to do.
import { came, left, takesRoute } from './movements.mjs'
import { liquidityOf, principalOf, sqrtPriceOf } from './positions.mjs'
import { claimRewards, harvest, migrate, sellOverTime, useVaults } from './rewards-and-orders.mjs'
import { refuseAtFirst, refuseAtLast } from './refusals.mjs'
import { earn, tradeOf } from './stranger.mjs'

/** The flags of a route, and what its trading API has words for. */
export const routes = {
  'built here': { flags: [], hasKey: false, builds: [] },
  'trading API, v1': { flags: ['--trading-api'], hasKey: true, builds: ['liquidity', 'pairs', 'rewards', 'migration'] },
  'trading API, lp': {
    flags: ['--trading-api', '--trading-dialect', 'lp'],
    hasKey: true,
    builds: ['liquidity'],
    generations: ['current SDK'],
  },
}

export async function tellStory(held, route) {
  const trade = await tradeOf(held)
  await refuseAtFirst(held, route)
  await lifeOfShares(held, route)
  const opened = []
  for (const version of ['v3', 'v4']) opened.push(await lifeOfPosition(held, { version, route, trade }))
  await claimRewards(held, route)
  await migrate(held, route, trade)
  await harvest(held, { route, trade, opened })
  await analyse(held)
  await useVaults(held)
  await refuseAtLast(held, { route, trade, position: opened[0] })
  await sellOverTime(held)
  await held.nothingStands()
}

const deposited = ({ token0Symbol, token1Symbol, amount0Deposited, amount1Deposited, txHash }) => [
  left(token0Symbol, amount0Deposited, txHash),
  left(token1Symbol, amount1Deposited, txHash),
]

const received = ({ token0Symbol, token1Symbol, amount0Received, amount1Received, feesCollected, txHash }) => [
  came(token0Symbol, amount0Received, txHash),
  came(token1Symbol, amount1Received, txHash),
  came(token0Symbol, feesCollected.amount0, txHash),
  came(token1Symbol, feesCollected.amount1, txHash),
]

async function lifeOfShares(held, route) {
  const isBuilt = route.builds.includes('pairs')
  const pair = { version: 'v2', token0: 'ETH', token1: 'USDC' }
  const added = await held.write('add_liquidity', { ...pair, amount0: '1' }, deposited)
  takesRoute(held, 'add_liquidity', added, isBuilt)
  const { positionId } = added
  const shares = () => held.read(positionId, 'balanceOf', [held.wallet])
  for (const percentage of [40, 100]) {
    const before = await shares()
    const removal = { version: 'v2', positionId, percentage }
    const removed = await held.write('remove_liquidity', removal, received)
    takesRoute(held, 'remove_liquidity', removed, isBuilt)
    const { percentageRemoved } = removed
    held.agree('shares that are left', before - (before * BigInt(percentageRemoved)) / 100n, await shares())
  }
}

/** Opened, grown, collected, compounded, shrunk, moved, and worked on in a batch; gives back the position that is left. */
async function lifeOfPosition(held, { version, route, trade }) {
  const isBuilt = route.builds.includes('liquidity')
  const token0 = version === 'v3' ? 'WETH' : 'ETH'
  const range = { version, token0, token1: 'USDC', fee: 500, rangeStrategy: 'narrow' }
  const opened = await held.write('add_liquidity', { ...range, amount0: '1' }, deposited)
  takesRoute(held, 'add_liquidity', opened, isBuilt)
  const position = { version, positionId: opened.positionId }
  const liquidity = () => liquidityOf(held, position)
  // A position of the newest blocks is not added to.
  await held.mine(2)
  const grown = await held.write(
    'increase_liquidity',
    { ...position, token0, amount0: '0.2' },
    ({ token0Symbol, token1Symbol, amount0Added, amount1Added, txHash }) => [
      left(token0Symbol, amount0Added, txHash),
      left(token1Symbol, amount1Added, txHash),
    ],
  )
  takesRoute(held, 'increase_liquidity', grown, isBuilt)
  const whole = await principalOf(held, position)
  for (const side of [0, 1]) {
    const symbol = grown[`token${side}Symbol`]
    held.agree(`all of ${symbol} in it`, grown[`newTotalAmount${side}`], held.text(whole.get(symbol), symbol))
  }
  await earn(held, { position, trade })
  const before = await liquidity()
  const collected = await held.write('collect_fees', position, ({ feesCollected: fees, txHash }) => [
    came(fees.amount0Symbol, fees.amount0, txHash),
    came(fees.amount1Symbol, fees.amount1, txHash),
  ])
  takesRoute(held, 'collect_fees', collected, isBuilt)
  held.agree('liquidity after collect_fees', before, await liquidity())
  for (const swapToRatio of [true, false]) {
    await earn(held, { position, trade, isBothWays: !swapToRatio })
    const atFirst = await liquidity()
    const { newLiquidity } = await held.write('compound_fees', { ...position, swapToRatio }, compounded)
    held.agree('liquidity of compound_fees', newLiquidity, `${(await liquidity()) - atFirst}`)
  }
  const most = await liquidity()
  const removed = await held.write('remove_liquidity', { ...position, percentage: 30 }, received)
  takesRoute(held, 'remove_liquidity', removed, isBuilt)
  held.agree('liquidity that is left', most - (most * 30n) / 100n, await liquidity())
  return batchOn(held, { version, trade, ...(await moveBoth(held, { position, trade })) })
}

function compounded({ token0Symbol, token1Symbol, feesCollected, reinvested, txHash }) {
  const swap = /^([\d.]+) (\w+) for ([\d.]+) (\w+)/.exec(reinvested.swapDetails)
  return [
    came(token0Symbol, feesCollected.amount0, txHash),
    came(token1Symbol, feesCollected.amount1, txHash),
    left(token0Symbol, reinvested.amount0, txHash),
    left(token1Symbol, reinvested.amount1, txHash),
    ...(reinvested.swapExecuted ? [left(swap[2], swap[1], txHash), came(swap[4], swap[3], txHash)] : []),
  ]
}

/** Moved with a swap of its own between the legs, and then without one. */
async function moveBoth(held, { position, trade }) {
  const { version } = position
  let at = position
  for (const swapToRatio of [true, false]) {
    await earn(held, { position: at, trade })
    const aim = { ...at, swapToRatio, rangeStrategy: swapToRatio ? 'wide' : 'medium' }
    const moved = await held.write('rebalance_position', aim, moves, { isRest: swapToRatio })
    held.agree('gas of a rebalance', moved.totalGasCostUsd, moved.gasCostUsd)
    held.agree('liquidity of the closed position', 0n, await liquidityOf(held, at))
    at = { version, positionId: moved.newPosition.positionId }
    held.agree('the new position is there', (await liquidityOf(held, at)) > 0n, true)
  }
  return { position: at }
}

function moves({ token0Symbol, token1Symbol, closedPosition: closed, newPosition: opened }) {
  return [
    came(token0Symbol, closed.amount0Received, closed.txHash),
    came(token1Symbol, closed.amount1Received, closed.txHash),
    left(token0Symbol, opened.amount0Deposited, opened.txHash),
    left(token1Symbol, opened.amount1Deposited, opened.txHash),
  ]
}

/** Every type of member; gives back a position that is left. */
async function batchOn(held, { version, trade, position }) {
  const { positionId } = position
  const pair = { version, token0: version === 'v3' ? 'WETH' : 'ETH', token1: 'USDC', fee: 500, rangeStrategy: 'wide' }
  const before = await liquidityOf(held, position)
  const [, added] = await batch(held, [
    { type: 'remove', positionId, params: { version, percentage: 50 } },
    { type: 'add', params: { ...pair, amount0: '0.3' } },
  ])
  held.agree('liquidity that a batch leaves', before - before / 2n, await liquidityOf(held, position))
  const other = { version, positionId: added.positionId }
  held.agree('the position of a batch is there', (await liquidityOf(held, other)) > 0n, true)
  await earn(held, { position, trade })
  const poorer = await liquidityOf(held, other)
  await batch(held, [
    { type: 'collect', positionId, params: { version } },
    { type: 'compound', positionId: other.positionId, params: { version } },
  ])
  held.agree('a batch compounds', (await liquidityOf(held, other)) > poorer, true)
  const aim = { version, rangeStrategy: 'narrow', swapToRatio: false }
  const [moved] = await batch(held, [{ type: 'rebalance', positionId, params: aim }])
  held.agree('liquidity of one that a batch moves', await liquidityOf(held, position), 0n)
  const inIt = await worthOf(held, await principalOf(held, { version, positionId: moved.positionId }))
  const isSo = Math.abs(moved.depositedUsd - inIt) < 0.01
  held.agree(`${moved.depositedUsd} USD in one that a batch moved, ${inIt} by its manager`, isSo, true)
  return other
}

/** Its members say dollars: together as many as what the wallet paid and got is worth; of a move, what is in the new position. */
async function batch(held, operations) {
  const label = operations.map(({ type }) => type).join(', ')
  let moved
  const { results, operationsExecuted } = await held.write('batch_lp_operations', { operations }, (_result, moves) => {
    moved = moves
    return [...moves].map(([symbol, amount]) => ({ symbol, amount: held.text(amount, symbol) }))
  })
  held.agree('members of a batch', operationsExecuted, operations.length)
  held.agree(
    'types of the members',
    results.map(({ type }) => type),
    operations.map(({ type }) => type),
  )
  if (label === 'rebalance') return results
  const said = results.reduce(
    (sum, { type, feesUsd = 0, receivedUsd = 0, depositedUsd = 0 }) =>
      sum + (type === 'compound' ? 0 : feesUsd) + receivedUsd - depositedUsd,
    0,
  )
  const worth = await worthOf(held, moved)
  held.agree(`${label}: ${said} USD of the members are ${worth} of the wallet`, Math.abs(said - worth) < 0.01, true)
  return results
}

/** In dollars, at the server's price of the native currency. */
async function worthOf(held, amounts) {
  const { priceUsd } = await held.ask('get_token_price', { token: 'ETH' })
  return [...amounts].reduce((sum, [symbol, amount]) => {
    return sum + Number(held.text(amount, symbol)) * (symbol.endsWith('ETH') ? priceUsd : 1)
  }, 0)
}

/** The chain knows the price alone; the rest are models of it, held against closed forms elsewhere. */
async function analyse(held) {
  const pair = { token0: 'WETH', token1: 'USDC' }
  const { currentPrice } = await held.ask('optimize_lp_range', { ...pair, amount: '10000', fee: 500, simulations: 500 })
  const pool = held.ready.pools.find(
    ({ version, fee, token0 }) => version === 'v3' && fee === 500 && token0 === tokenOf('USDC'),
  )
  const price = 1e12 / (Number(await sqrtPriceOf(held, pool)) / 2 ** 96) ** 2
  held.agree(`a price of ${currentPrice}, ${price} by the pool`, Math.abs(currentPrice / price - 1) < 1e-5, true)
  await held.ask('recommend_fee_tier', pair)
  const startTime = new Date(Date.now() - 20 * 86_400_000).toISOString()
  await held.ask('backtest_lp_strategy', { ...pair, amount: '10000', startTime })

  function tokenOf(symbol) {
    return held.ready.tokens.find((token) => token.symbol === symbol).address
  }
}

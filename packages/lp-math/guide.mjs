// Which pool, which range, was it worth it: the program of docs/guide-lp-analytics.md, on a drawn market, with @svc/lp-math alone.
//
//   node guide.mjs            prints every figure of the guide
//   node guide.mjs FOLDER     and writes the events and bars of its pools into a folder
import { mkdirSync, writeFileSync } from 'node:fs'
import {
  applyPoolEvent,
  barsFromSwaps,
  candidateRanges,
  chooseRange,
  createPoolState,
  createRandom,
  createRangeAnalyser,
  ewmaSigma,
  feePace,
  feesAhead,
  formatAmount,
  fullRangeTicks,
  getAmountsForLiquidity,
  getSqrtPriceAtTick,
  getTickAtSqrtPrice,
  intervalOf,
  liquidityProfile,
  nearestUsableTick,
  positionKey,
  priceFromSqrtPrice,
  recordTrade,
  replayFees,
  replayStrategies,
  sqrtPriceFromPrice,
  swapInPool,
  tickFromPrice,
  trackFees,
  volatilityAhead,
} from '@svc/lp-math'

// 1. A market

const start = 1_750_032_000 // 2025-06-16T00:00:00Z
const day = 86_400
const [knownDays, allDays] = [30, 44]

function openPool(feePips, tickSpacing, price) {
  const state = createPoolState({ feePips, tickSpacing })
  const sqrtPriceX96 = sqrtPriceFromPrice(price, 18, 6)
  const pool = { feePips, tickSpacing, state, events: [] }
  apply(pool, 'Initialize', { sqrtPriceX96, tick: getTickAtSqrtPrice(sqrtPriceX96) }, start)
  return pool
}

function apply(pool, eventName, args, timestamp) {
  const event = { eventName, args, timestamp }
  applyPoolEvent(pool.state, event)
  pool.events.push(event)
}

/** Puts USDC and as much in WETH into a range, as far as they go. */
function mint(pool, owner, { tickLower, tickUpper }, usd, timestamp) {
  const price = priceFromSqrtPrice(pool.state.sqrtPriceX96, 18, 6)
  const bounds = [getSqrtPriceAtTick(tickLower), getSqrtPriceAtTick(tickUpper)]
  const unit = 10n ** 15n
  const { amount0, amount1 } = getAmountsForLiquidity(pool.state.sqrtPriceX96, ...bounds, unit, true)
  const unitUsd = (Number(amount0) / 1e18) * price + Number(amount1) / 1e6
  const amount = BigInt(Math.floor((usd / unitUsd) * Number(unit)))
  const worth = getAmountsForLiquidity(pool.state.sqrtPriceX96, ...bounds, amount, true)
  apply(pool, 'Mint', { owner, tickLower, tickUpper, amount, ...worth }, timestamp)
  return { owner, tickLower, tickUpper, liquidity: amount, ...worth }
}

function swap(pool, order) {
  const before = pool.state.sqrtPriceX96
  const args = swapInPool(pool.state, order)
  if (args.sqrtPriceX96 !== before || args.amount0 !== 0n || args.amount1 !== 0n) {
    pool.events.push({ eventName: 'Swap', args, timestamp: order.timestamp })
  }
}

function rangeAround(pool, price, share) {
  const tick = (at) => nearestUsableTick(tickFromPrice(at, 18, 6), pool.tickSpacing)
  return { tickLower: tick(price * (1 - share)), tickUpper: tick(price / (1 - share)) }
}

/** Ten minutes at a time: arbitrage to within the fee of the market's price, then an order of somebody. `enter` may act on day 30. */
function tradedMarket(enter = () => {}) {
  const random = createRandom(20)
  let price = 3000
  const pools = [openPool(500, 10, price), openPool(3000, 60, price)]
  for (const [pool, usd] of [
    [pools[0], 20e6],
    [pools[1], 12e6],
  ]) {
    mint(pool, 'others', fullRangeTicks(pool.tickSpacing), usd, start)
    for (const share of [0.4, 0.25]) mint(pool, 'others', rangeAround(pool, price, share), usd / 2, start)
  }
  for (let timestamp = start; timestamp < start + allDays * day; timestamp += 600) {
    if (timestamp === start + knownDays * day) enter(pools)
    price *= Math.exp(0.6 * Math.sqrt(600 / (365 * day)) * random.normal())
    for (const pool of pools) arbitrage(pool, price, timestamp)
    const usd = 8_000 * Math.exp(random.normal())
    const zeroForOne = random.uniform() < 0.5
    const amount = zeroForOne ? BigInt(Math.round((usd / price) * 1e9)) * 10n ** 9n : BigInt(Math.round(usd * 1e6))
    const pool = pools[random.uniform() < 0.7 ? 0 : 1]
    swap(pool, { zeroForOne, exactIn: true, amountSpecified: amount, timestamp })
  }
  return pools
}

function arbitrage(pool, price, timestamp) {
  const fee = pool.feePips / 1e6
  for (const [zeroForOne, target] of [
    [true, price / (1 - fee)],
    [false, price * (1 - fee)],
  ]) {
    const sqrtPriceLimitX96 = sqrtPriceFromPrice(target, 18, 6)
    const { sqrtPriceX96 } = pool.state
    if (zeroForOne ? sqrtPriceLimitX96 >= sqrtPriceX96 : sqrtPriceLimitX96 <= sqrtPriceX96) continue
    swap(pool, { zeroForOne, exactIn: true, amountSpecified: 2n ** 120n, sqrtPriceLimitX96, timestamp })
  }
}

console.log('1. A market')
const pools = tradedMarket()
for (const { feePips, events } of pools) {
  console.log(
    `${feePips / 1e4} %: ${events.filter(({ eventName }) => eventName === 'Swap').length} swaps in ${allDays} days`,
  )
}

// 2. Which pool

const decimals = { decimals0: 18, decimals1: 6 }
const percent = (value) => `${value.toFixed(1)} %`
const between = ({ low95, high95 }, scale = 1) => `${(scale * low95).toFixed(1)} to ${(scale * high95).toFixed(1)}`

/** The pool as its events leave it between two days, what was traded then, and the hours of it. */
function read(pool, fromDay, toDay) {
  const span = { startsAt: start + fromDay * day, endsAt: start + toDay * day }
  const state = createPoolState(pool)
  const trade = recordTrade({ version: 'v3', state, events: pool.events }, span)
  const bars = barsFromSwaps(trade.swaps, { barSeconds: 3600, ...span, start: trade.start, feePips: pool.feePips })
  return { state, trade, bars }
}

/** What the providers got in each hour, in USDC. */
function feesByHour({ trade, bars }) {
  const fees = new Float64Array(bars.startsAt.length)
  for (const { token, fee, timestamp, sqrtPriceX96 } of trade.payments) {
    const usd = token === 1 ? Number(fee) / 1e6 : (Number(fee) / 1e18) * priceFromSqrtPrice(sqrtPriceX96, 18, 6)
    fees[Math.floor((timestamp - bars.startsAt[0]) / 3600)] += usd
  }
  return fees
}

function study(pool) {
  const past = read(pool, 0, knownDays)
  const fees = feesByHour(past)
  const closes = past.bars.closeTick.map((tick) => 1.0001 ** tick * 1e12)
  const price = priceFromSqrtPrice(past.state.sqrtPriceX96, 18, 6)
  const sigma = ewmaSigma(closes, { barSeconds: 3600 })
  const { ticks, tick, liquidity } = past.state
  const analyser = createRangeAnalyser({
    model: { price, sigma, drift: 0, years: 14 / 365 },
    profile: liquidityProfile({ ticks, tick, liquidity, ...decimals, inverted: false }),
    feesPerDay: feePace(fees, { barSeconds: 3600 }).perDay,
    feePips: pool.feePips,
    blockSeconds: 12,
    value: 10_000,
    gasCost: 5,
    tickSpacing: pool.tickSpacing,
    ...decimals,
  })
  return { pool, fees, closes, price, sigma, analyser, ...chooseRange(analyser, 0.8) }
}

console.log('2. Which pool')
const studied = pools.map(study)
for (const { pool, fees, closes, sigma, best } of studied) {
  const ahead = { barSeconds: 3600, horizonDays: 14 }
  const perDay = feePace(fees, ahead).perDay
  console.log(
    `${pool.feePips / 1e4} %: volatility ${percent(100 * sigma)}, in 14 days ${between(intervalOf(volatilityAhead(closes, ahead)), 100)} %`,
  )
  console.log(`  fees a day ${perDay.toFixed(0)} USDC, in 14 days ${between(intervalOf(feesAhead(fees, ahead)))}`)
  console.log(
    `  best range for 10,000 USDC: net ${percent(best.netApr)} a year, fees ${percent(best.feeApr)}, LVR ${percent(best.lvrApr)}`,
  )
}
const winner = studied.reduce((one, other) => (other.best.netApr > one.best.netApr ? other : one))
console.log(`chosen: the pool of ${winner.pool.feePips / 1e4} %`)

// 3. Which range

console.log('3. Which range')
const candidates = [...candidateRanges(winner.analyser, [5, 10, 25, 50]), { label: 'best held', ...winner.best }]
for (const { label, bounds, timeInRange, feeApr, lvrApr, netApr, ilPct } of candidates) {
  const ends = `${bounds.lower.toFixed(0)} to ${Number.isFinite(bounds.upper) ? bounds.upper.toFixed(0) : 'any'}`
  console.log(
    `${label}: ${ends}, in range ${percent(100 * timeInRange)}, fees ${percent(feeApr)}, LVR ${percent(lvrApr)}, net ${percent(netApr)} a year; IL ${ilPct.toFixed(2)} %`,
  )
}

// 4. Was it worth it

console.log('4. Was it worth it')
const which = pools.indexOf(winner.pool)
const entry = start + knownDays * day
let mine
const later = tradedMarket((now) => {
  mine = mint(now[which], 'me', winner.best, 10_000, entry)
})[which]
const { tickLower, tickUpper, liquidity } = mine
const exit = start + allDays * day
const closing = getAmountsForLiquidity(
  later.state.sqrtPriceX96,
  getSqrtPriceAtTick(tickLower),
  getSqrtPriceAtTick(tickUpper),
  liquidity,
  false,
)
apply(later, 'Burn', { owner: 'me', tickLower, tickUpper, amount: liquidity, ...closing }, exit)
const { tokensOwed0, tokensOwed1 } = later.state.positions.get(positionKey(mine))
const collected = { amount0: tokensOwed0 - closing.amount0, amount1: tokensOwed1 - closing.amount1 }

/** The fees of the position from the swaps of a pool, to the unit where it is one of those in it. */
function feesBySwap(pool, isInPool) {
  const tracker = trackFees({ tickLower, tickUpper, liquidity, isInPool })
  for (const payment of read(pool, knownDays, allDays).trade.payments) tracker.pay(payment)
  return tracker.fees()
}

console.log(`position of liquidity ${liquidity} from tick ${tickLower} to ${tickUpper}`)
const endPrice = priceFromSqrtPrice(later.state.sqrtPriceX96, 18, 6)
const usdOf = ({ amount0, amount1 }) => (Number(amount0) / 1e18) * endPrice + Number(amount1) / 1e6
const said = (what, fees) =>
  `${what}: ${formatAmount(fees.amount0, 18)} WETH and ${formatAmount(fees.amount1, 6)} USDC, ${usdOf(fees).toFixed(2)} USDC in all`
console.log(said('collected', collected))
console.log(said('replayed', feesBySwap(later, true)))
console.log(said('backtest by swaps', feesBySwap(pools[which], false)))
const { bars, trade } = read(pools[which], knownDays, allDays)
const byHours = replayFees(bars, { tickLower, tickUpper, liquidity: Number(liquidity), feePips: winner.pool.feePips })
console.log(
  `backtest by hours: ${usdOf(byHours).toFixed(2)} USDC, give or take ${byHours.feeUncertaintyPct.toFixed(0)} %`,
)

const held = usdOf(mine)
const worth = usdOf(closing)
console.log(`price ${winner.price.toFixed(2)} to ${endPrice.toFixed(2)}`)
console.log(
  `held ${held.toFixed(2)}, in the pool ${worth.toFixed(2)} and fees ${usdOf(collected).toFixed(2)}: ${(worth + usdOf(collected) - held).toFixed(2)} USDC against holding, less gas`,
)

const strategies = [
  { name: 'full range', rangePct: null, rebalanceThresholdPct: null },
  { name: '20 % wide', rangePct: 20, rebalanceThresholdPct: null },
  { name: '20 % wide, moved', rangePct: 20, rebalanceThresholdPct: 80 },
]
const options = {
  startValueUsd: 10_000,
  feePips: winner.pool.feePips,
  tickSpacing: winner.pool.tickSpacing,
  ...decimals,
  baseToken: 0,
  quoteUsd: 1,
  gasUsd: { open: 2.5, close: 2.5, rebalance: 5 },
}
const others = replayStrategies(bars, strategies, { ...options, resolution: 'swap', trade }).strategies
for (const { name, feesEarnedUsd, bySwap, ilCostUsd, rebalances, vsHodlPct } of others) {
  console.log(
    `${name}: fees ${feesEarnedUsd.toFixed(2)} (by bars of an hour ${bySwap.feesByBarsUsd.toFixed(2)}), IL ${ilCostUsd.toFixed(2)}, ${rebalances.length} moves, ${vsHodlPct.toFixed(2)} % against holding`,
  )
}

// 5. What svc reads

const [folder] = process.argv.slice(2)
if (folder !== undefined) {
  mkdirSync(folder, { recursive: true })
  const line = (event) => JSON.stringify(event, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  writeFileSync(`${folder}/events.jsonl`, `${later.events.map(line).join('\n')}\n`)
  const known = read(winner.pool, 0, knownDays).bars
  const columns = ['startsAt', 'openTick', 'lowTick', 'highTick', 'closeTick', 'amount0In', 'amount1In', 'liquidity']
  const rows = Array.from(known.startsAt, (_, bar) => columns.map((name) => known[name][bar]).join(','))
  writeFileSync(`${folder}/bars.csv`, `${[columns.join(','), ...rows].join('\n')}\n`)
}

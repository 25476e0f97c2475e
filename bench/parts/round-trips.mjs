// How often a write waits for its endpoint, of the writes of a position's life. The benchmark counts them behind latency, the gate without
// a clock.

/** The writes of a position's life, one by one, with what they are called; `call` makes one, `earn` has others trade in a pool. */
export async function liveAsPosition(version, { call, earn }) {
  const range = version === 'v2' ? {} : { fee: 500, rangeStrategy: 'medium' }
  const opened = await call('add_liquidity', { version, token0: 'WETH', token1: 'USDC', amount0: '0.3', ...range })
  const position = { version, positionId: opened.positionId }
  const trade = () => earn(opened.pool.poolAddress)
  if (version !== 'v2') {
    // A position of the newest blocks is not added to.
    await trade()
    await call('increase_liquidity', { ...position, token0: 'WETH', amount0: '0.1' })
    await trade()
    await call('collect_fees', position)
    await trade()
    await call('compound_fees', { ...position, swapToRatio: false })
    const moved = await call('rebalance_position', { ...position, rangeStrategy: 'wide', swapToRatio: false })
    position.positionId = moved.newPosition.positionId
  }
  await call('remove_liquidity', position)
  await call('execute_swap', { version, tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.1' })
}

/** Round trips of a whole write beyond one for each of its transactions. */
export function beyondOneEach(trips, transactions) {
  return inSequence(withoutWaiting(trips)) - transactions.length
}

/** The most requests of which each began after the one before it was answered: what latency counts for. */
export function inSequence(trips) {
  let [count, until] = [0, -Infinity]
  for (const { from, to } of trips.toSorted((a, b) => a.to - b.to)) {
    if (from >= until) [count, until] = [count + 1, to]
  }
  return count
}

/** How often a receipt is asked for depends on the block time, not on who asks: each wait counts as one request. */
export function withoutWaiting(trips) {
  // What is looked at beside a receipt travels with each look for it.
  const waits = ({ methods }) => methods.includes(receipt) || methods.every((method) => waiting.has(method))
  return trips.filter((trip, index) => index === 0 || !waits(trip) || !waits(trips[index - 1]))
}

const receipt = 'eth_getTransactionReceipt'
const waiting = new Set([receipt, 'eth_blockNumber', 'eth_getTransactionByHash'])

// What a position of v3 or v4 holds, by its manager and the vendor's own arithmetic.
import { loadSdks } from '../../packages/devnet/dist/trading/build-call.js'

const { core, v3 } = loadSdks()

/** 0 for one that is burnt. */
export async function liquidityOf({ read, row }, { version, positionId }) {
  const { positionManager } = row.amm[version]
  if (version === 'v4') return read(positionManager, 'getPositionLiquidity', [BigInt(positionId)])
  return read(positionManager, 'positions', [BigInt(positionId)]).then(
    (position) => position[7],
    () => 0n,
  )
}

/** By symbol, without fees, rounded down as a removal pays it. */
export async function principalOf(held, { version, positionId }) {
  const { positionManager } = held.row.amm[version]
  const placed =
    version === 'v4'
      ? await placeOfV4(held, positionManager, positionId)
      : await placeOfV3(held, positionManager, positionId)
  const { tokens, ticks, pool } = placed
  const [price, lower, upper, liquidity] = [
    await sqrtPriceOf(held, pool),
    ...ticks.map(ratioAt),
    await liquidityOf(held, { version, positionId }),
  ]
  const within = price < lower ? lower : price > upper ? upper : price
  const delta = (side, from, to) =>
    BigInt(v3.SqrtPriceMath[`getAmount${side}Delta`](big(from), big(to), big(liquidity), false).toString())
  const amounts = [delta(0, within, upper), delta(1, lower, within)]
  return new Map(tokens.map((address, index) => [symbolOf(held, address), amounts[index]]))
}

export async function sqrtPriceOf({ read, row }, { version, id }) {
  if (version === 'v3') return (await read(id, 'slot0'))[0]
  return (await read(row.amm.v4.stateView, 'getSlot0', [id]))[0]
}

async function placeOfV3({ read, ready }, manager, positionId) {
  const [, , token0, token1, fee, ...rest] = await read(manager, 'positions', [BigInt(positionId)])
  const pool = ready.pools.find(
    (one) => one.version === 'v3' && one.token0 === token0 && one.token1 === token1 && one.fee === fee,
  )
  return { tokens: [token0, token1], ticks: rest.slice(0, 2), pool }
}

async function placeOfV4({ read, ready }, manager, positionId) {
  const [[token0, token1, fee], info] = await read(manager, 'getPoolAndPositionInfo', [BigInt(positionId)])
  const pool = ready.pools.find(
    (one) => one.version === 'v4' && one.token0 === token0 && one.token1 === token1 && one.fee === fee,
  )
  const tickAt = (shift) => Number(BigInt.asIntN(24, info >> shift))
  return { tokens: [token0, token1], ticks: [tickAt(8n), tickAt(32n)], pool }
}

function symbolOf({ ready }, address) {
  return ready.tokens.find((token) => token.address === address)?.symbol ?? 'ETH'
}

function ratioAt(tick) {
  return BigInt(v3.TickMath.getSqrtRatioAtTick(tick).toString())
}

/** As the vendor's arithmetic takes it. */
function big(value) {
  return new core.Fraction(`${value}`).quotient
}

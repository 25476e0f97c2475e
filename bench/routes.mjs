// What trades bring by the routes that are found, against the best single route of one version and the same block: carried out on the local
// chain, the gas of both taken off at the pools' own price.
import { startDevnet } from '@svc/devnet'
import { bundleFixtures } from './parts/bundle-fixtures.mjs'
import { figure, median } from './parts/figure.mjs'
import { sized } from './parts/size.mjs'

const pairs = sized(
  [
    ['WETH', 'USDC'],
    ['USDC', 'WETH'],
    ['ETH', 'USDC'],
    ['USDC', 'ETH'],
    ['WBTC', 'USDC'],
    ['DAI', 'USDT'],
  ],
  [['USDC', 'WETH']],
)
/** Without a pool of their own. */
const farPairs = sized(
  [
    ['WBTC', 'USDT'],
    ['WBTC', 'DAI'],
    ['USDT', 'ETH'],
  ],
  [],
)
const sizesUsd = sized([1_000, 10_000, 50_000, 200_000], [50_000])
const slippageBps = 50

export async function run(report) {
  const fixtures = await bundleFixtures('packages/amm/src/liquidity/planning', ['bench'], ['@svc/devnet'])
  const devnet = await startDevnet({ history: false })
  try {
    const bench = await fixtures.createBench(devnet)
    const prices = new Map(
      await Promise.all(['ETH', 'WETH', 'WBTC', 'DAI', 'USDT', 'USDC'].map((symbol) => priced(bench, symbol))),
    )
    for (const symbol of ['WETH', 'USDC', 'WBTC', 'DAI', 'USDT', 'ETH']) {
      const whole = Math.ceil(300_000 / prices.get(symbol))
      await devnet.fund(bench.address, { [symbol]: String(whole) })
    }
    const rows = []
    for (const [from, to] of [...pairs, ...farPairs]) {
      for (const usd of sizesUsd) rows.push(await tradeOf({ bench, prices }, { from, to, usd }, report))
    }
    return figuresOf(rows)
  } finally {
    await devnet.stop()
  }
}

/** Dollars for a whole token, by the deepest way to USDC. */
async function priced(bench, symbol) {
  if (symbol === 'USDC') return [symbol, 1]
  const [tokenIn, tokenOut] = await Promise.all([bench.token(symbol), bench.token('USDC')])
  const amountIn = 10n ** BigInt(tokenIn.decimals) / 100n
  const { amountOut } = await bench.liquidity.quote(bench.chain, { tokenIn, tokenOut, amountIn })
  return [symbol, Number(amountOut) / 1e4]
}

/** One trade by its best single route and by what is found, each from the same state of the chain. */
async function tradeOf({ bench, prices }, { from, to, usd }, report) {
  const { chain, liquidity } = bench
  const [tokenIn, tokenOut] = await Promise.all([bench.token(from), bench.token(to)])
  const amountIn = (BigInt(Math.round((usd / prices.get(from)) * 1e6)) * 10n ** BigInt(tokenIn.decimals)) / 1_000_000n
  const request = { tokenIn, tokenOut, amountIn }
  const quotes = [await liquidity.quote(chain, request), await liquidity.quote(chain, { ...request, maySplit: true })]
  const single = await carriedOut(bench, quotes[0], request)
  const found = await carriedOut(bench, quotes[1], request)
  const gasUsd = ({ gasWei }) => (Number(gasWei) / 1e18) * prices.get('ETH')
  const outUsd = ({ out }) => (Number(out) / 10 ** tokenOut.decimals) * prices.get(to)
  const [net, netSingle] = [found, single].map((one) => outUsd(one) - gasUsd(one))
  const routes = (quotes[1].parts ?? [quotes[1]]).map(({ route }) => route.map(({ pool }) => pool.version))
  const row = {
    usd,
    isFar: farPairs.some(([one, other]) => one === from && other === to),
    parts: routes.length,
    hops: Math.max(...routes.map(({ length }) => length)),
    isMixed: routes.some((versions) => new Set(versions).size > 1),
    gainBps: Number(`${((found.out - single.out) * 1_000_000_000n) / single.out}`) / 100_000,
    netBps: ((net - netSingle) / netSingle) * 10_000,
    promised: Number(found.out) / Number(quotes[1].amountOut),
  }
  report(
    `${from} for ${to}, ${usd} USD: ${routes.map((versions) => versions.join(' ')).join(' and ')}, ${row.gainBps.toFixed(2)} bps more, ${row.netBps.toFixed(2)} net of gas`,
  )
  return row
}

async function carriedOut(bench, quote, { tokenIn, tokenOut }) {
  const snapshot = await bench.client.request({ method: 'evm_snapshot' })
  try {
    const request = { tokenIn, tokenOut, slippageBps, deadline: bench.deadline, recipient: bench.address }
    const { intent, decode } = await bench.liquidity.planSwap(bench.chain, quote, request)
    const { result, changes } = await bench.changes([tokenOut], () => bench.run(intent))
    const { amountOut } = await decode(result)
    if (amountOut !== changes[0]) throw new Error(`${changes[0]} came, and ${amountOut} was read`)
    const { hash } = result.main
    const { gasUsed, effectiveGasPrice } = await bench.client.getTransactionReceipt({ hash })
    return { out: amountOut, gasWei: gasUsed * effectiveGasPrice }
  } finally {
    await bench.client.request({ method: 'evm_revert', params: [snapshot] })
  }
}

function figuresOf(rows) {
  const reference = 'the best single route of one version and the same block'
  const exact = true
  const bps = { unit: 'bps', reference, exact }
  return [
    figure({
      name: 'routes: least that a trade brings beyond one route, net of gas',
      ...bps,
      value: Math.min(...rows.map(({ netBps }) => netBps)),
      bar: 0,
      atMost: false,
    }),
    ...sizesUsd.map((usd) => {
      const gains = rows.filter((row) => row.usd === usd && !row.isFar).map(({ gainBps }) => gainBps)
      return figure({ name: `routes: a trade of ${usd} USD brings more, median`, ...bps, value: median(gains) })
    }),
    ...(farPairs.length === 0 ? [] : [farFigure(rows, bps)]),
    figure({
      name: 'routes: most that a trade brings beyond one route',
      ...bps,
      value: Math.max(...rows.map(({ gainBps }) => gainBps)),
    }),
    shareOf(rows, 'that several routes share', ({ parts }) => parts > 1),
    shareOf(rows, 'through three hops', ({ hops }) => hops > 2),
    shareOf(rows, 'through pools of several versions', ({ isMixed }) => isMixed),
    figure({
      name: 'routes: least of what was quoted that came',
      unit: 'x',
      reference: 'the quote',
      value: Math.min(...rows.map(({ promised }) => promised)),
      bar: 1,
      atMost: false,
      exact,
    }),
  ]
}

function farFigure(rows, bps) {
  const gains = rows.filter(({ isFar }) => isFar).map(({ gainBps }) => gainBps)
  return figure({
    name: 'routes: a trade of two tokens without a pool brings more, median',
    ...bps,
    value: median(gains),
  })
}

function shareOf(rows, what, isOne) {
  const value = (rows.filter(isOne).length / rows.length) * 100
  return figure({ name: `routes: trades ${what}`, unit: '%', reference: `${rows.length} trades`, value, exact: true })
}

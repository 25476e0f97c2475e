// Gas of what is done to liquidity, from one state of the chain: by our calldata, and by the vendor's own for the same effect. Allowances
// are left out, which are the same on both sides.
import { figure } from './figure.mjs'
import { gasOf, sideBySide } from './side-by-side.mjs'
import { v2Add, v2Remove } from './v2-router.mjs'
import { sized } from './size.mjs'

const bar = 1.02

/** A row for each operation: our gas as a ratio to the vendor's. Throws when the two did not do the same. */
export async function measureGas(place, report) {
  const figures = []
  for (const { name, prepare, ours, theirs, reference } of gasCases(place)) {
    const [own, other] = await sideBySide(place, prepare, [ours, theirs])
    for (const [member, value] of Object.entries(own.effect)) {
      if (!isAlike(value, other.effect[member])) {
        throw new Error(`${name}: ${member} is ${value} by us and ${other.effect[member]} by ${reference}`)
      }
    }
    report(`${name}: ${own.gas} gas by us, ${other.gas} by ${reference} (${JSON.stringify(own.effect)})`)
    const row = { name: `${name}: gas`, value: own.gas / other.gas, unit: 'x', bar, exact: true }
    figures.push(figure({ ...row, reference: `${reference}, ${other.gas} gas` }))
  }
  return figures
}

const apiNote = 'The calls were built by the trading API and checked here.'
const sdk = "the vendor's SDK"
const shortForm = 3

function gasCases(place) {
  const single = place.operations
    .filter(({ tool }) => tool in effects)
    .map(({ name, tool, prepare }) => ({
      name,
      prepare,
      ours: (world, args) => byUs(place, world, tool, args),
      theirs: (world, args) => byVendor(world, tool, args),
      reference: sdk,
    }))
  const composite = ['v3', 'v4'].flatMap((version) => [compound(place, version), rebalance(place, version)])
  return [...single, ...composite, v2Add(place), v2Remove(place)].slice(0, sized(Infinity, shortForm))
}

/** What must be the same after both. */
const effects = {
  add_liquidity: ['amount0Deposited', 'amount1Deposited'],
  increase_liquidity: ['amount0Added', 'amount1Added'],
  collect_fees: ['feesCollected.amount0', 'feesCollected.amount1'],
  remove_liquidity: ['amount0Received', 'amount1Received'],
}

async function byTool(world, tool, answer) {
  const effect = Object.fromEntries(effects[tool].map((member) => [member, answer.text(member)]))
  return { effect, gas: await gasOf(world, [answer.text('txHash')]), answer }
}

async function byUs({ trading }, world, tool, args) {
  const answer = await trading.withoutIt(() => world.call(tool, args))
  return byTool(world, tool, requireBuilder(tool, answer, false))
}

async function byVendor(world, tool, args) {
  const answer = await world.call(tool, args)
  return byTool(world, tool, requireBuilder(tool, answer, true))
}

function requireBuilder(tool, answer, isVendor) {
  const notes = answer.at('notes')
  if (notes.includes(apiNote) === isVendor) return answer
  throw new Error(`${tool} was ${isVendor ? 'not ' : ''}built by the vendor's SDK: ${notes.join(' ')}`)
}

/** The vendor has no call for it: its way is a collection and a deposit of what that brought. */
function compound({ trading, earning }, version) {
  return {
    name: `${version} compound_fees`,
    prepare: async (_, world) => ({ version, ...(await earning(trading, world, version)) }),
    async ours(world, args) {
      const answer = await world.call('compound_fees', { ...args, swapToRatio: false })
      const effect = { liquidity: await liquidityOf(world, args) }
      return { effect, gas: await gasOf(world, [answer.text('txHash')]), answer }
    },
    async theirs(world, args, [{ answer: own }]) {
      const collected = await byVendor(world, 'collect_fees', args)
      const sides = { token0: own.text('token0Symbol'), amount0: own.text('reinvested.amount0') }
      const more = { ...args, ...sides, amount1: own.text('reinvested.amount1') }
      const increased = await byVendor(world, 'increase_liquidity', more)
      return { effect: { liquidity: await liquidityOf(world, args) }, gas: collected.gas + increased.gas }
    },
    reference: `${sdk}, collection and deposit`,
  }
}

/** Of the vendor: the removal of all, and a new position in the other range. */
function rebalance({ trading, earning }, version) {
  const range = { rangeStrategy: 'medium' }
  return {
    name: `${version} rebalance_position`,
    prepare: async (_, world) => ({ version, ...(await earning(trading, world, version)) }),
    async ours(world, args) {
      const answer = await world.call('rebalance_position', { ...args, ...range, token0: 'WETH', swapToRatio: false })
      const hashes = ['closedPosition.txHash', 'newPosition.txHash'].map((member) => answer.text(member))
      const positionId = answer.text('newPosition.positionId')
      const effect = { liquidity: await liquidityOf(world, { version, positionId }) }
      return { effect, gas: await gasOf(world, hashes), answer }
    },
    async theirs(world, args, [{ answer: own }]) {
      const removed = await byVendor(world, 'remove_liquidity', { ...args, percentage: 100 })
      const [amount0, amount1] = [0, 1].map((side) => own.text(`newPosition.amount${side}Deposited`))
      const pool = { token0: 'WETH', token1: 'USDC', fee: 500, version }
      const added = await byVendor(world, 'add_liquidity', { ...pool, amount0, amount1, ...range })
      const positionId = added.answer.text('positionId')
      const effect = { liquidity: await liquidityOf(world, { version, positionId }) }
      return { effect, gas: removed.gas + added.gas }
    },
    reference: `${sdk}, removal and new position`,
  }
}

async function liquidityOf(world, { positionId, version }) {
  return (await world.call('get_position', { positionId, version })).text('liquidityRaw')
}

/** To a millionth: a deposit of amounts that another came to takes a unit less of one side. */
function isAlike(one, other) {
  return Math.abs(Number(one) / Number(other) - 1) < 1e-6
}

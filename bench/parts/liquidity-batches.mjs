// Gas of several operations as one, and of a harvest, against as many transactions by themselves. Allowances count on both sides.
import { figure } from './figure.mjs'
import { gasOf, sideBySide } from './side-by-side.mjs'
import { sized } from './size.mjs'

export async function measureBatches(place, report) {
  const figures = []
  for (const { name, prepare, ways } of [batch(place), harvest(place)]) {
    const [together, apart] = await sideBySide(place, prepare, ways)
    report(`${name}: ${together.gas} gas in ${together.sent}, ${apart.gas} gas in ${apart.sent} transactions`)
    const reference = `${apart.sent} transactions, ${apart.gas} gas`
    const row = { reference, exact: true }
    figures.push(
      figure({ ...row, name: `${name}: gas`, value: together.gas / apart.gas, unit: 'x' }),
      figure({ ...row, name: `${name}: transactions`, value: together.sent, unit: 'count' }),
    )
  }
  return figures
}

function batch({ trading, earning }) {
  const pair = { token0: 'WETH', token1: 'USDC', fee: 500 }
  const separate = {
    collect: 'collect_fees',
    compound: 'compound_fees',
    remove: 'remove_liquidity',
    add: 'add_liquidity',
  }
  const tools = { ...separate, rebalance: 'rebalance_position' }
  return {
    name: '5 operations as one',
    prepare: async (_, world) => {
      const ids = {}
      for (const [type, version] of [
        ['collect', 'v3'],
        ['compound', 'v3'],
        ['remove', 'v3'],
        ['rebalance', 'v4'],
      ]) {
        ids[type] = (await earning(trading, world, version)).positionId
      }
      return [
        { type: 'collect', positionId: ids.collect, params: {} },
        { type: 'compound', positionId: ids.compound, params: { swapToRatio: false } },
        { type: 'remove', positionId: ids.remove, params: { percentage: 50 } },
        { type: 'add', params: { ...pair, amount0: '0.5', rangeStrategy: 'wide' } },
        {
          type: 'rebalance',
          positionId: ids.rebalance,
          params: { version: 'v4', rangeStrategy: 'wide', swapToRatio: false },
        },
      ]
    },
    ways: [
      (world, operations) => paidFor(world, [() => world.call('batch_lp_operations', { operations })]),
      (world, operations) =>
        paidFor(
          world,
          operations.map(
            ({ type, positionId, params }) =>
              () =>
                world.call(tools[type], { ...(positionId && { positionId }), ...params }),
          ),
        ),
    ],
  }
}

function harvest({ devnet, givePositions, findPool }) {
  const perVersion = sized(25, 3)
  return {
    name: `harvest of ${2 * perVersion} positions`,
    prepare: async (_, world) => {
      await givePositions(world, perVersion)
      await devnet.trade(40, 3, await Promise.all(['v3', 'v4'].map((version) => findPool(world, version))))
      return null
    },
    ways: [
      (world) => paidFor(world, [() => world.call('harvest_rewards', { minHarvestUsd: 0 })]),
      (world, _, [{ answers }]) => paidFor(world, answers[0].list('feesCollected').map(collecting(world))),
    ],
  }
}

/** A pool of v4 goes by an identifier of 32 bytes. */
function collecting(world) {
  return (fees) => {
    const version = fees.text('pool').length === 66 ? 'v4' : 'v3'
    return () => world.call('collect_fees', { positionId: fees.text('positionId'), version })
  }
}

/** What calls that come one after the other sent, and its gas. */
async function paidFor(world, calls) {
  const answers = []
  for (const call of calls) answers.push(await call())
  const hashes = answers.flatMap((answer) => answer.at('transactions'))
  return { answers, sent: hashes.length, gas: await gasOf(world, hashes) }
}

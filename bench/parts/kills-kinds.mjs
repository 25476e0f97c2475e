// The kinds of writes whose server is killed, each so that exactly one transaction is its effect, or one each of several parts.
import { worthOf, worthUsdMicros } from './kills-world.mjs'

const chain = 'local'

export const kinds = {
  swap: {
    tool: 'execute_swap',
    input: () => ({ tokenIn: 'USDC', tokenOut: 'DAI', amount: '100', version: 'v3', chain }),
    isEffect: ({ what }) => what === 'main',
  },
  add: {
    tool: 'add_liquidity',
    input: () => ({
      token0: 'USDC',
      token1: 'DAI',
      fee: 100,
      amount0: '50',
      rangeStrategy: 'medium',
      version: 'v3',
      chain,
    }),
    isEffect: ({ what }) => what === 'main',
  },
  move: {
    tool: 'rebalance_position',
    input: async (world) => ({ positionId: await world.position(), swapToRatio: false, chain }),
    isEffect: ({ mints }) => mints,
    needs: async (world) => ((await world.position()) === null ? 'add' : null),
    worth: (transactions) => worthOfTrades(transactions),
  },
  rebalance: {
    tool: 'rebalance_position',
    input: async (world) => {
      // Now more of one token, now of the other, so that each time a side is swapped.
      const positionId = await world.position()
      const [priceLower, priceUpper] = Number(positionId) % 2 === 0 ? [0.7, 1.02] : [0.98, 1.3]
      return { positionId, token0: 'USDC', priceLower, priceUpper, chain }
    },
    isEffect: ({ mints }) => mints,
    needs: async (world) => ((await world.position()) === null ? 'add' : null),
    worth: (transactions) => worthOfTrades(transactions),
  },
  harvest: {
    tool: 'harvest_rewards',
    input: async (world) => {
      await world.trade()
      return { targetToken: 'USDC', minHarvestUsd: 0, includeRewards: false, chain }
    },
    // What was collected before the kill is neither collected nor swapped a second time, and the last names all.
    before: { collection: ({ what, moves }) => what === 'main' && moves },
    isEffect: ({ what, moves }) => what === 'main' && !moves,
    needs: async (world) => ((await world.position()) === null ? 'add' : null),
    worth: (transactions) => worthUsdMicros(transactions.filter(({ moves }) => !moves)),
  },
  batch: {
    tool: 'batch_lp_operations',
    input: async (world) => {
      const pair = { token0: 'USDC', token1: 'DAI', fee: 100, amount0: '20', rangeStrategy: 'medium' }
      const operations = [
        { type: 'remove', positionId: await world.position(), params: { version: 'v3', percentage: 30 } },
        { type: 'add', params: { version: 'v3', ...pair } },
      ]
      return { operations, chain }
    },
    isEffect: ({ mints }) => mints,
    needs: async (world) => ((await world.position()) === null ? 'add' : null),
  },
  remove: {
    tool: 'remove_liquidity',
    input: async (world) => ({ positionId: await world.position(), chain }),
    isEffect: ({ what }) => what === 'main',
    needs: async (world) => ((await world.position()) === null ? 'add' : null),
  },
  vault: {
    tool: 'vault_deposit',
    input: (world) => ({ vault: world.devnet.vaults[0].address, amount: '50', chain }),
    isEffect: ({ what }) => what === 'main',
  },
  plan: {
    tool: 'execute_plan',
    input: async (_world, server) => {
      for (let tries = 1; ; tries += 1) {
        const planned = await server.call('execute_swap', { ...kinds.swap.input(), dryRun: true })
        if (planned?.ok) return { planId: planned.data.plan.planId }
        if (planned?.error.retryable !== true || tries === 10) throw new Error(`No plan: ${planned?.error.message}`)
      }
    },
    isEffect: ({ what }) => what === 'main',
  },
  approve: {
    tool: 'approve_token',
    input: (world) => ({ token: 'USDC', spender: world.devnet.chain.amm.v2.router, amount: '25', chain }),
    isEffect: (transaction, world) =>
      transaction.what === 'approve' &&
      transaction.amount > 0n &&
      transaction.spender.toLowerCase() === world.devnet.chain.amm.v2.router.toLowerCase(),
    /** An approval that stays is counted as spent. */
    exposedUsdMicros: 25_000_000n,
  },
}

/** Own liquidity that re-enters its pool is no spend; what a swap on the way takes is. */
function worthOfTrades(transactions) {
  const swaps = transactions.filter(({ moves }) => !moves)
  return swaps.reduce((sum, { out }) => sum + worthOf(out, 1n), 0n)
}

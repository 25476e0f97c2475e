// The kinds of writes whose server is killed, each so that exactly one transaction is its effect.
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
  remove: {
    tool: 'remove_liquidity',
    input: async (world) => ({ positionId: await world.position(), chain }),
    isEffect: ({ what }) => what === 'main',
    needs: async (world) => ((await world.position()) === null ? 'add' : null),
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

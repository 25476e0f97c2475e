import { parseFlags } from '../parse-flags.ts'
import { openAgent, type Agent } from '../demo/agent.ts'
import { createTranscript, type Transcript } from '../demo/transcript.ts'
import { startWorld, type World } from '../start-world.ts'

/** `svc demo`: a scripted agent, through a real MCP client, lives the life of one liquidity position. */
export async function demo(argv: readonly string[]): Promise<number> {
  parseFlags(argv, { values: [] })
  const transcript = createTranscript(process.stdout)
  const world = await startWorld({
    mcpPort: 0,
    rpcPort: 0,
    chainId: 31_337,
    dataDir: undefined,
    onProgress: (line) => transcript.aside(line),
  })
  try {
    const agent = await openAgent(world.ready.mcp.url, world.ready.mcp.keys.write, transcript)
    await tellStory(world, agent, transcript)
    await agent.close()
    return 0
  } finally {
    await world.stop()
  }
}

async function tellStory(world: World, agent: Agent, transcript: Transcript): Promise<void> {
  const chain = String(world.ready.rpc.chainId)
  const pair = { token0: 'WETH', token1: 'USDC', chain }

  transcript.chapter('The ground', [
    'A local chain with the real AMM contracts and thirty days of trading by others.',
    'The policy of this chain: 50,000 USD a transaction, 100,000 a session, 250,000 a day, no approval by a person.',
  ])
  await agent.call('check_safety_status', {})

  transcript.chapter('Find a pool', ['Where does the pair trade, and what does the market pay?'])
  await agent.call('get_pools_by_token_pair', { ...pair, version: 'v3' })
  await agent.call('get_quote', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', chain })

  transcript.chapter('Add liquidity', ['First as a plan: nothing is signed. Then for real.'])
  const entry = { ...pair, fee: 500, amount0: '5', rangeStrategy: 'medium', version: 'v3' }
  await agent.call('add_liquidity', { ...entry, dryRun: true })
  const added = await agent.call('add_liquidity', { ...entry, idempotencyKey: 'demo-entry' })
  const positionId = String(added['positionId'])

  transcript.chapter('Others trade', ['Two hundred trades by other accounts go through the pools.'])
  await world.devnet.trade(200)
  await agent.call('get_position', { positionId, chain, version: 'v3' })

  transcript.chapter('Collect the fees', [])
  await agent.call('collect_fees', { positionId, chain, version: 'v3' })

  transcript.chapter('Swap', ['Half an ether for dollars, at most half a percent worse than the quote.'])
  await agent.call('execute_swap', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.5', chain })

  transcript.chapter('What the server refuses', [
    'Forty ether in one transaction, on this policy; then an amount with too many digits.',
  ])
  await agent.refused('execute_swap', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '40', chain })
  await agent.refused('execute_swap', { tokenIn: 'USDC', tokenOut: 'WETH', amount: '1.0000001', chain })

  transcript.chapter('Leave', [])
  await agent.call('remove_liquidity', { positionId, chain, version: 'v3' })
  await agent.call('get_agent_balance', { chain })
  await transcript.proveHashes(world.ready.rpc.url)
}

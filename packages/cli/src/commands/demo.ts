import type { StopCause } from '@svc/tool-server/until-stopped'
import { parseFlags } from '../parse-flags.ts'

/** `svc demo`: a scripted agent, through a real MCP client, lives the life of one liquidity position. */
export async function demo(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  parseFlags(argv, { values: [] })
  const outcome = await Promise.race([perform(), stopped])
  // Cut off, it leaves nothing: what it started goes with the process.
  return typeof outcome === 'string' ? 130 : 0
}

async function perform(): Promise<void> {
  const [{ startWorld }, { openAgent }, { tellStory }, { createTranscript }] = await Promise.all([
    import('../start-world.ts'),
    import('../demo/agent.ts'),
    import('../demo/story.ts'),
    import('../demo/transcript.ts'),
  ])
  const colours = process.stdout.isTTY && process.env['NO_COLOR'] === undefined
  const transcript = createTranscript(process.stdout, { colours })
  const onProgress = (line: string) => transcript.aside(line)
  // The market moves while the agent acts, which the server would warn of in the middle of the story.
  const options = { chainId: 31_337, dataDir: undefined, logLevel: process.env['LOG_LEVEL'] ?? 'error', onProgress }
  const world = await startWorld({ mcpPort: 0, rpcPort: 0, ...options })
  try {
    const agent = await openAgent(world.ready.mcp.url, world.ready.mcp.keys.write, transcript)
    const trader = world.devnet.startTrader({ seed: 'demo', intervalMs: 40 })
    await tellStory({ world, agent, transcript, trader })
    await trader.stop()
    await agent.close()
  } finally {
    await world.stop()
  }
}

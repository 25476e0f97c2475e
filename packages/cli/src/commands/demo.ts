import type { Trader } from '@svc/devnet'
import type { StopCause } from '@svc/tool-server/until-stopped'
import type { Agent } from '../demo/agent.ts'
import type { Transcript } from '../demo/transcript.ts'
import { parseFlags } from '../parse-words-and-flags.ts'
import type { World, WorldOptions } from '../start-world.ts'

/**
 * `svc demo`: a scripted agent, through a real MCP client, lives the life of one liquidity position; with `--hostile` it
 * tries to drain the wallet instead.
 */
export async function demo(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const { hostile } = parseFlags(argv, { values: [], switches: ['hostile'] })
  const outcome = await Promise.race([hostile ? performHostile() : perform(), stopped])
  // Cut off, it leaves nothing: what it started goes with the process.
  return typeof outcome === 'string' ? 130 : 0
}

async function perform(): Promise<void> {
  const { tellStory } = await import('../demo/story.ts')
  // The market moves while the agent acts, which the server would warn of in the middle of the story.
  // The wallet package knows the faucet of this public test chain, whose place the local one takes.
  await onStage({ logLevel: 'error', chainId: 84_532 }, async (scene) => {
    const trader = scene.world.devnet.startTrader({ seed: 'demo', intervalMs: 60 })
    await tellStory({ ...scene, trader, agent: amidTrades(scene.agent, trader) })
    await trader.stop()
  })
}

/** The market goes on while a call is under way, but a slow machine lets no more of it pass: what is asked for then mostly holds. */
function amidTrades(agent: Agent, trader: Pick<Trader, 'atMost'>): Agent {
  return {
    ...agent,
    call: (...asked) => trader.atMost(tradesInACall, () => agent.call(...asked)),
    refused: (...asked) => trader.atMost(tradesInACall, () => agent.refused(...asked)),
    tryOut: (...asked) => trader.atMost(tradesInACall, () => agent.tryOut(...asked)),
  }
}

const tradesInACall = 3

async function performHostile(): Promise<void> {
  const [{ tellHostileStory }, { turnedTool }, { catalogue }] = await Promise.all([
    import('../demo/hostile/story.ts'),
    import('../demo/hostile/tricks.ts'),
    import('@svc/tool-server'),
  ])
  // The policy as it is without a file, but strict about tokens as in production.
  const policy = { allowlist: { mode: 'strict' } } as const
  await onStage({ logLevel: 'fatal', policy, tools: [...catalogue, turnedTool()] }, tellHostileStory)
}

type Stage = Pick<WorldOptions, 'logLevel' | 'policy' | 'tools'> & Partial<Pick<WorldOptions, 'chainId'>>
type Scene = { readonly world: World; readonly agent: Agent; readonly transcript: Transcript }

/** Brings up a world and an agent in it, and takes both down whatever happens. */
async function onStage(stage: Stage, play: (scene: Scene) => Promise<void>): Promise<void> {
  const [{ startWorld }, { openAgent }, { createTranscript }] = await Promise.all([
    import('../start-world.ts'),
    import('../demo/agent.ts'),
    import('../demo/transcript.ts'),
  ])
  const colours = process.stdout.isTTY && process.env['NO_COLOR'] === undefined
  const transcript = createTranscript(process.stdout, { colours })
  const onProgress = (line: string) => transcript.aside(line)
  const options = { chainId: 31_337, dataDir: undefined, onProgress, ...stage }
  const logLevel = process.env['LOG_LEVEL'] ?? stage.logLevel
  const world = await startWorld({ mcpPort: 0, rpcPort: 0, apiPort: 0, ...options, logLevel })
  try {
    const agent = await openAgent(world.ready.mcp.url, world.ready.mcp.keys.write, transcript)
    await play({ world, agent, transcript })
    await agent.close()
  } finally {
    await world.stop()
  }
}

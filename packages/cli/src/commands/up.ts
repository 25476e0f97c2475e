import { untilStopped } from '@svc/tool-server'
import { clientConfiguration } from '../client-configuration.ts'
import { parseFlags } from '../parse-flags.ts'
import { parseWholeNumber } from '../parse-whole-number.ts'
import { startWorld, type ReadyLine } from '../start-world.ts'

/** `svc up`: a local world in the foreground until it is asked to end. */
export async function up(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, {
    values: ['mcp-port', 'rpc-port', 'chain-id', 'data-dir'],
    switches: ['json'],
  })
  const stopped = untilStopped(process.env)
  const starting = startWorld({
    mcpPort: parseWholeNumber('--mcp-port', flags['mcp-port'], 0, 65_535),
    rpcPort: parseWholeNumber('--rpc-port', flags['rpc-port'], 0, 65_535),
    chainId: parseWholeNumber('--chain-id', flags['chain-id'], 1, 2 ** 31) ?? 31_337,
    dataDir: flags['data-dir'],
    onProgress: (line) => process.stderr.write(`${line}\n`),
  })
  starting.catch(() => {})
  const world = await Promise.race([starting, stopped])
  if (world === 'signal' || world === 'parent') {
    await starting.then((late) => late.stop()).catch(() => {})
    return 0
  }
  process.stdout.write(flags.json ? `${JSON.stringify(world.ready)}\n` : welcome(world.ready))
  await stopped
  await world.stop()
  return 0
}

function welcome(ready: ReadyLine): string {
  const pools = ready.pools.map((pool) => `  ${pool.version}  ${pool.label.padEnd(18)} ${pool.id}`)
  return `
The local world is up. Everything in it is worthless and ends with this process.

  MCP server   ${ready.mcp.url}
  read key     ${ready.mcp.keys.read}
  feedback key ${ready.mcp.keys.feedback}
  write key    ${ready.mcp.keys.write}
  chain        ${ready.rpc.url} (chain id ${ready.rpc.chainId})
  wallet       ${ready.wallet.address}
  limits       50,000 USD a transaction, 100,000 a session, 250,000 a day (a policy for this chain alone)

Pools
${pools.join('\n')}

Paste this into an MCP client:
${clientConfiguration(ready.mcp.url, ready.mcp.keys.write)}

Ctrl-C ends all of it.
`
}

// What a server keeps of its reads: the live heap before and after a hundred thousand of them, of many kinds, while blocks go on.
import { startDevnet } from '@svc/devnet'
import { figure } from './parts/figure.mjs'
import { drive } from './parts/load.mjs'
import { legacyMessage } from './parts/mcp-messages.mjs'
import { isSmoke, sized } from './parts/size.mjs'
import { startServer } from './write.mjs'

const reads = sized(100_000, 200)
/** Until caches are as full as they get and V8 has optimised what it will: the second takes about 40,000 reads. */
const warmUps = sized(40_000, 100)
/** Reads between two blocks that trade. */
const perBlock = sized(1_000, 50)
const bar = 2

export async function run(report) {
  const closers = []
  try {
    const devnet = await startDevnet({ onProgress: report })
    closers.push(() => devnet.stop())
    const settings = { LOG_LEVEL: 'error' }
    const server = await startServer(devnet, devnet.rpcUrl, closers, { settings, execArgv: ['--expose-gc'] })
    const mixed = mixOf(devnet)
    let blocks = 0
    const play = async (count, what) => {
      for (let done = 0; done < count; done += perBlock) {
        await devnet.trade(1, blocks)
        blocks += 1
        const body = (index) => {
          const [name, input] = mixed[(done + index) % mixed.length]
          return legacyMessage(index, 'tools/call', { name, arguments: input })
        }
        await drive({ port: server.port, headers: server.headers, body, calls: perBlock })
        const answered = done + perBlock
        if (answered % 10_000 === 0) report(`${what}: ${answered} of ${count} reads, ${await heapOf(server)}`)
      }
    }
    await play(warmUps, 'warm-up')
    const before = await server.liveHeap()
    await play(reads, 'measured')
    const after = await server.liveHeap()
    const grown = (what, of, judged) =>
      figure({
        name: `${what} grown over ${reads} mixed reads`,
        value: (of(after) / of(before) - 1) * 100,
        unit: '%',
        reference: `${megabytes(of(before))} after ${warmUps} reads that fill caches and compile, ${megabytes(of(after))} after ${reads} more`,
        bar: isSmoke ? null : judged,
      })
    return [
      grown('live heap', ({ heapUsedBytes }) => heapUsedBytes, bar),
      grown('live heap without compiled code', ({ heapUsedBytes, codeBytes }) => heapUsedBytes - codeBytes, null),
      grown('compiled code', ({ codeBytes }) => codeBytes, null),
    ]
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}

async function heapOf(server) {
  const { heapUsedBytes, codeBytes } = await server.liveHeap()
  return `live heap ${megabytes(heapUsedBytes)}, of which compiled code ${megabytes(codeBytes)}`
}

const megabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(2)} MB`

/** Reads of every kind: what is kept, what is read anew each block, what fails, and names that nobody asked for before. */
function mixOf(devnet) {
  const chain = String(devnet.chainId)
  const pair = { chain, token0: 'WETH', token1: 'USDC' }
  const v3 = devnet.pools.find(({ version }) => version === 'v3')
  const pool = { chain, pool: v3.id }
  const token = devnet.tokens.find(({ symbol }) => symbol === 'WBTC').address
  return [
    ['search_tokens', { chain, query: 'USD' }],
    ['get_token_price', { chain, token: 'WETH' }],
    ['get_token_info', { chain, token }],
    ['get_pool_state', pool],
    ['get_pool_info', pool],
    ['get_quote', { chain, tokenIn: 'WETH', tokenOut: 'USDC', amount: '1' }],
    ['get_gas_price', { chain }],
    ['get_pools_by_token_pair', pair],
    ['get_tick_data', { ...pool, maxTicks: 10 }],
    ['get_vault_info', { chain, vault: devnet.vaults[0].address }],
    ['list_supported_chains', {}],
    ['check_safety_status', {}],
    ['get_agent_balance', { chain }],
    ['search_tokens', { chain, query: 'nobody' }],
  ]
}

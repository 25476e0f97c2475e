import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { Devnet, DevnetOptions } from './devnet.ts'

/**
 * A local chain for the tests of a file (or of a `describe`), brought back after each test to the state it had before it, and
 * after the last to the state it started with. One process serves all files of a worker that ask for the same options, and
 * ends with the worker. Unless asked otherwise the chain has no history, which makes it quicker. Returns a getter to call
 * inside hooks and tests.
 */
export function useDevnet(options: DevnetOptions = {}): () => Devnet {
  const wanted = { history: false, ...options }
  let chain: SharedChain | null = null
  let devnet: Devnet | null = null
  let restore: (() => Promise<void>) | null = null

  beforeAll(async () => {
    chain = await enter(wanted)
    devnet = chain.devnet
  })
  beforeEach(async () => {
    restore = (await devnet?.checkpoint()) ?? null
  })
  afterEach(async () => {
    await restore?.()
  })
  afterAll(async () => {
    if (chain) await leave(chain)
  })
  return () => {
    if (!devnet) throw new Error('The local chain starts in beforeAll: call this inside a hook or a test')
    return devnet
  }
}

type SharedChain = {
  readonly key: string
  readonly devnet: Devnet
  users: number
  /** Brings back the state it started with; null while nobody uses it. */
  restore: (() => Promise<void>) | null
}

async function enter(options: DevnetOptions): Promise<SharedChain> {
  const chains = sharedChains()
  const key = JSON.stringify(options)
  const starting = chains.get(key) ?? start(key, options)
  chains.set(key, starting)
  const chain = await starting
  chain.users += 1
  if (chain.users === 1) {
    await renewHead(await clientOf(chain))
    chain.restore = await chain.devnet.checkpoint()
  }
  return chain
}

/**
 * The head is of the present, as after a start, however long the files before this one took; but some seconds behind the clock, for
 * several blocks of one second run ahead of it.
 */
async function renewHead(client: Awaited<ReturnType<typeof clientOf>>): Promise<void> {
  const [{ timestamp }, now] = [await client.getBlock(), BigInt(Math.floor(Date.now() / 1_000))]
  if (timestamp > now - 30n) return
  await client.setNextBlockTimestamp({ timestamp: now - 5n })
  await client.mine({ blocks: 1 })
  await client.request({ method: 'evm_setTime', params: [Number(now)] })
}

/** What a revert does not bring back is put right first: how blocks are mined, and what waits for one. */
async function leave(chain: SharedChain): Promise<void> {
  chain.users -= 1
  if (chain.users > 0) return
  try {
    const client = await clientOf(chain)
    await client.setIntervalMining({ interval: 0 })
    await client.setAutomine(true)
    await client.request({ method: 'anvil_dropAllTransactions' })
    await chain.restore?.()
    chain.restore = null
  } catch {
    // A test ended it, or it is not to be trusted any more: the next file starts another.
    sharedChains().delete(chain.key)
    await chain.devnet.stop()
  }
}

/** Loaded when asked for: other helpers of tests need nothing of the chain. */
async function start(key: string, options: DevnetOptions): Promise<SharedChain> {
  const { startDevnet } = await import('./start-devnet.ts')
  return { key, devnet: await startDevnet(options), users: 0, restore: null }
}

async function clientOf({ devnet }: SharedChain) {
  const { connect } = await import('./chain/chain-client.ts')
  return connect(devnet.rpcUrl)
}

const registry = Symbol.for('@svc/devnet/testing')

/** Kept on the worker's global object, so that copies of this module share their chains. */
function sharedChains(): Map<string, Promise<SharedChain>> {
  const holder: { [registry]?: Map<string, Promise<SharedChain>> } & typeof globalThis = globalThis
  holder[registry] ??= new Map()
  return holder[registry]
}

import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { Devnet, DevnetOptions } from './devnet.ts'

/**
 * One local chain for the tests of a file (or of a `describe`), brought back after each test to the state it had
 * before it. Tests that ask for the same options share a chain; it stops with the last of them. Unless asked otherwise
 * the chain has no history, which makes it quicker. Returns a getter to call inside hooks and tests.
 */
export function useDevnet(options: DevnetOptions = {}): () => Devnet {
  const wanted = { history: false, ...options }
  const shared = sharedChains()
  const key = JSON.stringify(wanted)
  let devnet: Devnet | null = null
  let restore: (() => Promise<void>) | null = null

  beforeAll(async () => {
    const entry = shared.get(key) ?? { users: 0, devnet: start(wanted) }
    entry.users += 1
    shared.set(key, entry)
    devnet = await entry.devnet
  })
  beforeEach(async () => {
    restore = (await devnet?.checkpoint()) ?? null
  })
  afterEach(async () => {
    await restore?.()
  })
  afterAll(async () => {
    const entry = shared.get(key)
    if (!entry) return
    entry.users -= 1
    if (entry.users > 0) return
    shared.delete(key)
    await (await entry.devnet).stop()
  })
  return () => {
    if (!devnet) throw new Error('The local chain starts in beforeAll: call this inside a hook or a test')
    return devnet
  }
}

/** Loaded when asked for: other helpers of tests need nothing of the chain. */
async function start(options: DevnetOptions): Promise<Devnet> {
  const { startDevnet } = await import('./start-devnet.ts')
  return await startDevnet(options)
}

type SharedChain = { users: number; readonly devnet: Promise<Devnet> }

const registry = Symbol.for('@svc/devnet/testing')

/** Kept on the worker's global object, so that copies of this module share their chains. */
function sharedChains(): Map<string, SharedChain> {
  const holder: { [registry]?: Map<string, SharedChain> } & typeof globalThis = globalThis
  holder[registry] ??= new Map()
  return holder[registry]
}

import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { Devnet, DevnetOptions } from './devnet.ts'
import type { RenewableDevnet } from './start-devnet.ts'

/**
 * A local chain for the tests of a file (or of a `describe`), as it is after a start, and brought back after each test to the
 * state it had before it. The files of a worker that ask for the same options are served by one process in turn, which ends
 * with the worker. Unless asked otherwise the chain has no history, which makes it quicker. Returns a getter to call inside
 * hooks and tests.
 */
export function useDevnet(options: DevnetOptions = {}): () => Devnet {
  const wanted = { history: false, ...options }
  let chain: SharedChain | null = null
  let restore: (() => Promise<void>) | null = null

  beforeAll(async () => {
    chain = await enter(wanted)
  })
  beforeEach(async () => {
    restore = (await chain?.devnet.checkpoint()) ?? null
  })
  afterEach(async () => {
    await restore?.()
  })
  afterAll(() => {
    if (chain) chain.users -= 1
  })
  return () => {
    if (!chain) throw new Error('The local chain starts in beforeAll: call this inside a hook or a test')
    return chain.devnet
  }
}

type SharedChain = RenewableDevnet & { users: number }

async function enter(options: DevnetOptions): Promise<SharedChain> {
  const chains = sharedChains()
  const key = JSON.stringify(options)
  const opened = reopen(chains.get(key) ?? null, options)
  chains.set(key, opened)
  const chain = await opened
  chain.users += 1
  return chain
}

/** As after a start: one that serves somebody as it is, one that is free renewed, one that cannot be by another. */
async function reopen(opening: Promise<SharedChain> | null, options: DevnetOptions): Promise<SharedChain> {
  const chain = await opening?.catch(() => null)
  if (chain && chain.users > 0) return chain
  if (chain) {
    try {
      await chain.renew()
      return chain
    } catch {
      // A test ended it, or took more away than can be brought back.
    }
  }
  await chain?.devnet.stop()
  // Loaded when asked for: other helpers of tests need nothing of the chain.
  const { startRenewable } = await import('./start-devnet.ts')
  return { ...(await startRenewable(options)), users: 0 }
}

const registry = Symbol.for('@svc/devnet/testing')

/** Kept on the worker's global object, so that copies of this module share their chains. */
function sharedChains(): Map<string, Promise<SharedChain>> {
  const holder: { [registry]?: Map<string, Promise<SharedChain>> } & typeof globalThis = globalThis
  holder[registry] ??= new Map()
  return holder[registry]
}

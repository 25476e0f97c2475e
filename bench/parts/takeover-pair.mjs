// Two servers of one wallet over one database: each a process with a data directory and a proxy before the chain of its own, the same
// policy and the same keys.
import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startFaultProxy } from '../../packages/devnet/dist/services/fault-proxy.js'
import { verifyAuditLog } from '../../packages/engine/dist/audit/read-audit-log.js'
import { startKillable } from './kills-child.mjs'
import { openWorld } from './kills-world.mjs'

export async function openPair(options) {
  const world = await openWorld(options)
  const closers = [() => world.close()]
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer()
  }
  try {
    const keys = Object.fromEntries(
      ['read', 'feedback', 'write'].map((tier) => [
        `SVC_API_KEY_${tier.toUpperCase()}`,
        `svc_${tier}_${randomBytes(32).toString('base64url')}`,
      ]),
    )
    const nodes = []
    for (const name of ['a', 'b']) nodes.push(await openNode({ name, world, keys, closers, ...options }))
    const pair = { world, nodes, close, leader: nodes[0], follower: nodes[1] }
    for (const node of nodes) node.server = await node.start()
    await untilRole(pair.leader, 'leader')
    return pair
  } catch (error) {
    await close()
    throw error
  }
}

async function openNode({ name, world, keys, closers, random, program }) {
  const proxy = await startFaultProxy({ target: world.devnet.rpcUrl, random })
  closers.push(() => proxy.stop())
  const dataDir = mkdtempSync(join(tmpdir(), `svc-takeover-${name}-`))
  closers.push(() => rmSync(dataDir, { recursive: true, force: true }))
  copyFileSync(join(world.dataDir, 'policy.json'), join(dataDir, 'policy.json'))
  const settings = {
    ...world.settings(1),
    ...keys,
    SVC_DATA_DIR: dataDir,
    [`SVC_RPC_URL_${world.devnet.chainId}`]: proxy.url,
  }
  const node = {
    name,
    proxy,
    dataDir,
    server: null,
    start: () => startKillable(program, settings),
    /** How often signed bytes were offered from here. */
    offers: () => [...proxy.rawTransactions().values()].reduce((sum, times) => sum + times, 0),
    audit: () => verifyAuditLog(dataDir),
  }
  closers.push(() => node.server?.stop())
  return node
}

/** What a server says of itself; `null` while it does not answer. */
async function roleOf({ server }) {
  const answer = await fetch(`http://127.0.0.1:${server.port}/healthz`, { signal: AbortSignal.timeout(5_000) }).catch(
    () => null,
  )
  return answer?.ok ? (await answer.json()).role : null
}

/** Throws after a minute. */
export async function untilRole(node, role) {
  for (const deadline = performance.now() + 60_000; performance.now() < deadline; await sleep(10)) {
    if ((await roleOf(node)) === role) return
  }
  throw new Error(`Server ${node.name} never became the ${role}: ${node.server.lastWords()}`)
}

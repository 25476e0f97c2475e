// Each client in each route has a world of its own, and each profile one for both; exits 1 when a result and the chain disagree or a tool
// was not called.
import { readFileSync } from 'node:fs'
import { openLocalWorld } from '../mcp/local-world.mjs'
import { clients } from './clients.mjs'
import { callEveryTool, profiles } from './every-tool.mjs'
import { holdToChain } from './hold-to-chain.mjs'
import { elsewhere } from './refusals.mjs'
import { routes, tellStory } from './story.mjs'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)))

const specified = JSON.parse(readFileSync(new URL('../../test/docs/specified-liquidity.json', import.meta.url), 'utf8'))
const beside = [
  'get_claimable_rewards',
  'cancel_twamm_order',
  'claim_twamm_order',
  'get_vault_info',
  'vault_deposit',
  'vault_rebalance',
  'vault_simulate_deposit',
  'vault_withdraw',
]
const tools = [...Object.keys(specified), ...beside]
const codes = Object.entries(specified).flatMap(([tool, { errors }]) =>
  Object.keys(errors).map((code) => `${tool} ${code}`),
)
const reached = new Map(Object.keys(clients).map((generation) => [generation, new Set(elsewhere)]))
const wanted = process.argv[2]

const started = performance.now()
let failed = 0
for (const [name, route] of Object.entries(routes)) {
  for (const [generation, connect] of Object.entries(clients)) {
    if ((wanted !== undefined && wanted !== name) || route.generations?.includes(generation) === false) continue
    const before = performance.now()
    const {
      calls,
      amounts,
      failures,
      codes: heard,
    } = await live(route, connect).catch((error) => ({
      calls: new Map(),
      amounts: 0,
      codes: [],
      failures: [error.stack],
    }))
    const missing = calls.size === 0 ? [] : tools.filter((tool) => !calls.has(tool))
    if (missing.length > 0) failures.push(`not called: ${missing.join(', ')}`)
    for (const code of heard) reached.get(generation).add(code)
    for (const failure of failures) console.log(`FAIL  ${name}, ${generation}: ${failure}`)
    failed += failures.length
    const times = [...calls.values()].reduce((sum, count) => sum + count, 0)
    const seconds = Math.round((performance.now() - before) / 1000)
    console.log(
      `${failures.length === 0 ? 'ok   ' : '     '} ${name}, ${generation}: ${times} calls of ${calls.size} tools, ${amounts} figures held against the chain, ${seconds} s`,
    )
    if (stop.signal.aborted) process.exit(1)
  }
}
for (const profile of profiles) {
  if (wanted !== undefined && wanted !== profile) continue
  const before = performance.now()
  const { tools: offered, calls, failures } = await callEveryTool(profile, stop.signal)
  for (const failure of failures) console.log(`FAIL  profile ${profile}, ${failure}`)
  failed += failures.length
  const seconds = Math.round((performance.now() - before) / 1000)
  console.log(
    `${failures.length === 0 ? 'ok   ' : '     '} profile ${profile}: ${calls} calls of ${offered} tools, ${seconds} s`,
  )
}
for (const [generation, heard] of reached) {
  const left = codes.filter((code) => !heard.has(code))
  if (wanted !== undefined) continue
  if (left.length === 0) console.log(`ok    ${generation}: each of the ${codes.length} codes, which name the next call`)
  else console.log(`FAIL  ${generation} is never refused by ${left.join(', ')}`)
  failed += left.length
}
const seconds = Math.round((performance.now() - started) / 1000)
console.log(`${failed === 0 ? 'The chain agrees with every result' : `${failed} disagreements`}, ${seconds} s`)
process.exitCode = failed === 0 ? 0 : 1

async function live(route, connect) {
  const world = await openLocalWorld(stop.signal, route.flags)
  try {
    const client = await connect(world.ready.mcp)
    try {
      const held = await holdToChain(world, client)
      await tellStory(held, route)
      return held
    } finally {
      await client.close()
    }
  } finally {
    const left = await world.close()
    if (left.length > 0) console.log(`      svc up left processes behind: ${left.join(', ')}`)
  }
}

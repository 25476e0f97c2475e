// Every tool of every profile, called by a client of each SDK generation; which there are is asked of the catalogue itself.
import { catalogue } from '../../packages/tool-server/dist/tools/index.js'
import { isOffered } from '../../packages/tool-server/dist/dispatch/offered-tools.js'
import { openLocalWorld } from '../mcp/local-world.mjs'
import { clients } from './clients.mjs'
import { openStage, steps } from './tool-steps.mjs'

export const profiles = ['data', 'full', 'learning']

/**
 * A world of each profile, in which the clients take turns at each step. Gives back what went wrong, as sentences: among them each tool that a
 * profile lists and nothing calls.
 */
export async function callEveryTool(profile, signal) {
  const offered = catalogue.filter((tool) => isOffered(tool, profile)).map(({ name }) => name)
  const world = await openLocalWorld(signal, ['--trading-api', '--profile', profile])
  const failures = []
  let calls = 0
  try {
    const stage = await openStage(world)
    const actors = await Promise.all(
      Object.entries(clients).map(async ([generation, connect], index) => {
        const client = await connect(world.ready.mcp)
        return { generation, client, done: new Set(), made: {}, index }
      }),
    )
    for (const { generation, client } of actors) {
      if (client.tools.join() !== offered.join()) failures.push(`${generation} is listed ${client.tools.join(', ')}`)
    }
    for (const group of steps.map((one) => [one].flat().filter(({ tool }) => offered.includes(tool)))) {
      for (const actor of actors) {
        for (const step of group) {
          signal.throwIfAborted()
          const failure = await take(step, actor, { ...stage, profile }).catch((error) => error.message)
          if (failure !== null) failures.push(`${actor.generation}: ${step.tool}: ${failure}`)
          calls += 1
        }
      }
    }
    for (const { generation, client, done } of actors) {
      await client.close()
      const left = offered.filter((name) => !done.has(name))
      if (left.length > 0) failures.push(`${generation} has no answer of ${left.join(', ')}`)
    }
  } finally {
    const left = await world.close()
    if (left.length > 0) failures.push(`svc up left processes behind: ${left.join(', ')}`)
  }
  return { tools: offered.length, calls, failures }
}

/** `null` where the answer is what the step expects. */
async function take({ tool, input, keep, before, refused }, actor, stage) {
  const code = refused?.({ ...stage, ...actor }) ?? null
  await before?.(stage)
  const { result, refusal } = await answer(actor.client, tool, input({ ...stage, ...actor, ...actor.made }))
  if (code !== null && refusal?.code !== code) return `expected ${code}, got ${refusal?.code ?? 'a result'}`
  if (code === null && refusal !== undefined) return `${refusal.code}: ${refusal.message}`
  if (keep !== undefined && result !== undefined) Object.assign(actor.made, keep(result))
  actor.done.add(tool)
  return null
}

async function answer(client, tool, input) {
  for (let tries = 1; ; tries += 1) {
    const said = await client.call(tool, input)
    if (said.refusal?.retryable !== true || tries === 5) return said
  }
}

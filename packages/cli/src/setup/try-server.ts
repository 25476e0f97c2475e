import { StoreError } from '@svc/store'
import { diagnoseSetup, readConfig, type Config, openServer, provisionKeys } from '@svc/tool-server'
import type { ProductionAnswers } from './production-inputs.ts'
import { randomBytes } from 'node:crypto'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import * as z from 'zod'
import { refusalForm, toolRefusal } from '../lp/tool-refusal.ts'

/** As {@link askServer}; where a server runs on the directory already, its settings are looked at from outside, and it registers nobody. */
export async function tryServer(answers: ProductionAnswers, world: TriedPlace): Promise<Tried> {
  try {
    return await askServer(answers, world)
  } catch (error) {
    if (!(error instanceof StoreError && error.code === 'DATA_DIR_LOCKED')) throw error
    const { checks } = await diagnoseSetup(
      { ...world.environment, SVC_DATA_DIR: world.dataDir },
      { place: world.place },
    )
    const found = checks.filter(({ status }) => status !== 'pass')
    const health = { ok: found.every(({ status }) => status !== 'fail'), checks: found }
    sayHealth(health, world)
    const identity = 'a server runs on this directory: have its agent call provision_wallet and register_agent.'
    world.say('identity', identity)
    return { health, identity }
  }
}

/** Tools call the data directory D, as the documentation does. */
function sayHealth({ ok, checks }: Health, { say, place }: Pick<TriedPlace, 'say' | 'place'>): void {
  const here = (fix: string | null) => (fix ?? '').replaceAll(/(?<=\s)D(?=\/|$)/g, () => place)
  const found = checks.map(({ id, status, message, fix }) => `\n  ${status} ${id}: ${message} ${here(fix)}`)
  say('health', `${ok ? 'nothing fails' : 'something fails'}.${found.join('')}`)
}

/** Asks a server on the new settings what is wrong, and has it register the agent, as a client does. `say` hears both. */
async function askServer({ role, chains }: ProductionAnswers, world: TriedPlace): Promise<Tried> {
  const { dataDir, environment, registersIdentity, say } = world
  const config = readConfig({ ...environment, SVC_DATA_DIR: dataDir, SVC_LISTEN: '127.0.0.1:0', LOG_LEVEL: 'silent' })
  return withServer(config, async (call) => {
    const { ok, checks } = (await call('check_setup_health', {})) as Health
    sayHealth({ ok, checks }, world)
    const chain = chains.split(',')[0]?.trim()
    const name = config.upstream.agentName === null ? { name: 'svc agent' } : {}
    const identity = registersIdentity
      ? await register(call, { role, chain, ...name })
      : 'not registered, as was asked.'
    say('identity', identity)
    return { health: { ok, checks }, identity }
  })
}

export type Tried = {
  /** What `check_setup_health` finds that is wrong. */
  readonly health: Health
  /** Of the agent, or why there is none. */
  readonly identity: string
}

type TriedPlace = {
  readonly dataDir: string
  /** The same as a word of a shell. */
  readonly place: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly registersIdentity: boolean
  readonly say: (step: 'health' | 'identity', text: string) => void
}

type Health = {
  readonly ok: boolean
  readonly checks: readonly {
    readonly id: string
    readonly status: string
    readonly message: string
    readonly fix: string | null
  }[]
}

type Call = Parameters<Parameters<typeof withServer>[1]>[0]

/** A new wallet has no gas as a rule: then the agent registers itself once it has. */
async function register(
  call: Call,
  asked: { readonly role: string; readonly chain: string | undefined; readonly name?: string },
): Promise<string> {
  try {
    const wallet = (await call('provision_wallet', { chain: asked.chain })) as {
      readonly canRegister: boolean
      readonly agentId: string | null
      readonly nextSteps: readonly string[]
    }
    if (wallet.agentId !== null) return `the agent ${wallet.agentId}, as before.`
    if (!wallet.canRegister) return `not registered yet. ${wallet.nextSteps.join(' ')}`
    const { agentId } = (await call('register_agent', asked)) as { readonly agentId: string }
    return `registered as ${agentId}.`
  } catch (error) {
    return `not registered: ${error instanceof Error ? error.message : 'the tool refused'}`
  }
}

/** Opens the server of a configuration, asks it as a client with the write key does, and closes it whatever comes out. */
async function withServer<T>(config: Config, ask: (call: CallTool) => Promise<T>): Promise<T> {
  const server = await openServer(config)
  const client = new Client({ name: 'svc-setup', version: '1.0.0' })
  try {
    const { url } = await server.listen()
    const headers = { Authorization: `Bearer ${provisionKeys(config, randomBytes).write.reveal()}` }
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
    return await ask(async (name, input) => {
      const answer = await client.callTool({ name, arguments: input }, { timeout: patienceMs })
      if (answer.isError === true) throw toolRefusal(refusalForm.parse(answer['_meta'])['svc/error'])
      return z.record(z.string(), z.unknown()).parse(answer.structuredContent)
    })
  } finally {
    await client.close()
    await server.close()
  }
}

type CallTool = (name: string, input: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>

/** A registration waits for its confirmations. */
const patienceMs = 180_000

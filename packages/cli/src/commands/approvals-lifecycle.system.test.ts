import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { useDevnet } from '@svc/devnet/testing'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { program, run, type Run } from '../processes.fixture.ts'

const devnet = useDevnet()
const privateKey = `0x${'07'.repeat(32)}` as const
const swap = { name: 'execute_swap', arguments: { tokenIn: 'WETH', tokenOut: 'USDC', chain: 'local', amount: '0.2' } }
const timeout = 300_000

let directory: string
const opened: (() => unknown)[] = []
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'svc-cli-test-'))
  writeFileSync(join(directory, 'chains.json'), JSON.stringify([devnet().chain]), { mode: 0o600 })
  const policy = {
    approvalThresholdUsd: '100',
    limitsUsd: { perTransaction: '5000', perSession: '9000', daily: '9000' },
  }
  writeFileSync(join(directory, 'policy.json'), JSON.stringify(policy), { mode: 0o600 })
  const { address } = new ServiceWallet({ mode: 'local', privateKey })
  await devnet().fund(address, { ETH: '10', WETH: '5' })
})
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
  rmSync(directory, { recursive: true, force: true })
})

/** A server of its own with a wallet on the chain, which the client starts and talks to over stdio. */
const server = () => ({
  command: process.execPath,
  args: [program, 'serve', '--transport', 'stdio'],
  env: {
    NODE_ENV: 'development',
    LOG_LEVEL: 'error',
    SVC_DATA_DIR: directory,
    SVC_CHAINS_FILE: join(directory, 'chains.json'),
    SVC_MCP_PROFILE: 'full',
    WALLET_TYPE: 'local',
    PRIVATE_KEY: privateKey,
    [`SVC_RPC_URL_${devnet().chainId}`]: devnet().rpcUrl,
  },
  stderr: 'ignore' as const,
})

const yes = { action: 'accept' as const, content: { approve: true } }
const forms = { capabilities: { elicitation: { form: {} } } }

async function first(asked: string[]) {
  const client = new FirstClient({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => (asked.push(params.message), yes))
  await client.connect(new FirstTransport(server()))
  return client
}

async function second(asked: string[], options: ConstructorParameters<typeof Client>[1]) {
  const client = new Client({ name: 'test', version: '1' }, options)
  if (options?.capabilities !== undefined) {
    client.setRequestHandler('elicitation/create', ({ params }) => (asked.push(params.message), yes))
  }
  await client.connect(new StdioClientTransport(server()))
  return client
}

const auto = { versionNegotiation: { mode: 'auto' as const } }

it.each<[string, (asked: string[]) => ReturnType<typeof first> | ReturnType<typeof second>]>([
  ['the first SDK', first],
  ['the second SDK in a session', (asked) => second(asked, forms)],
  ['the second SDK in 2026-07-28', (asked) => second(asked, { ...forms, ...auto })],
])('a swap above the threshold is approved over stdio by a person behind %s', { timeout }, async (_name, connect) => {
  const asked: string[] = []
  const client = await connect(asked)
  opened.push(() => client.close())
  expect(await client.callTool(swap)).toMatchObject({ structuredContent: { status: 'success' } })
  expect(asked).toEqual([expect.stringContaining('Leaves the wallet at most: 0.2 WETH')])
})

it('a swap is approved by the operator beside the server, on record before it is signed', { timeout }, async () => {
  const client = await second([], auto)
  opened.push(() => client.close())
  const refused = await client.callTool(swap)
  expect(refused).toMatchObject({ isError: true, _meta: { 'svc/error': { code: 'APPROVAL_REQUIRED' } } })
  const { operations } = JSON.parse(await svc('list', '--json')) as { readonly operations: readonly [Listed] }
  const [{ id, planHash }] = operations
  const early = await client.callTool({ name: 'execute_plan', arguments: { planId: id } })
  expect(early).toMatchObject({ isError: true, _meta: { 'svc/error': { code: 'APPROVAL_REQUIRED' } } })
  await svc('approve', id, '--yes', '--plan-hash', planHash)
  const done = await client.callTool({ name: 'execute_plan', arguments: { planId: id } })
  expect(done).toMatchObject({ structuredContent: { status: 'success' } })
  const events = readFileSync(join(directory, 'audit.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly event: string; readonly operationId?: string; readonly by?: string })
  const decided = events.findIndex(({ event, operationId }) => event === 'tx.approval.decided' && operationId === id)
  expect(decided).toBeGreaterThanOrEqual(0)
  expect(decided).toBeLessThan(events.findIndex(({ event }) => event === 'tx.intent'))
  expect(events[decided]?.by).toMatch(/^operator:/)
})

type Listed = { readonly id: string; readonly planHash: string }

/** What an operator types, to its end. */
async function svc(...words: readonly string[]): Promise<string> {
  const started: Run = run(process.execPath, [program, 'approvals', ...words, '--data-dir', directory])
  opened.push(() => started.end())
  expect([await started.exited, started.printed.stderr]).toEqual([0, ''])
  return started.printed.stdout
}

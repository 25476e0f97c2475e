import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import * as z from 'zod'
import { provisionKeys } from './auth/credentials.ts'
import { readConfig } from './config.ts'
import type { Config } from './config/config-shape.ts'
import { type Plan, ToolError } from '@svc/amm'
import type { OperationsPipeline } from '@svc/engine'
import type { Ports } from './ports.ts'
import { createServer, type Adapters } from './server.ts'
import { readTool, writeTool, type Tool } from './tool.ts'

/** A running server with small tools, on a free port, and what a test needs to call it. */
export async function openTestServer(
  options: Partial<Adapters> & {
    readonly env?: Readonly<Record<string, string>>
    readonly tools?: readonly Tool[]
    /** Laid over what the settings make. */
    readonly config?: Partial<Config>
  } = {},
) {
  const { env = {}, config: more = {}, ...adapters } = options
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-test-'))
  const config = readConfig({ SVC_DATA_DIR: dataDir, SVC_LISTEN: '127.0.0.1:0', MCP_AUTH_TOKEN: staticToken, ...env })
  const keys = provisionKeys(config, (size) => crypto.getRandomValues(new Uint8Array(size)))
  const full = { ...config, auth: { ...config.auth, apiKeys: keys }, ...more }
  const lines: string[] = []
  const server = createServer(full, {
    tools: testTools,
    ports: {} as Ports,
    write: null,
    logDestination: { write: (line) => void lines.push(line) },
    ...adapters,
  })
  const { url, port } = await server.listen()
  return {
    server,
    url,
    port,
    dataDir,
    lines,
    config: full,
    keys: {
      read: keys.read.reveal(),
      feedback: keys.feedback.reveal(),
      write: keys.write.reveal(),
      bearer: staticToken,
    },
  }
}

export type TestServer = Awaited<ReturnType<typeof openTestServer>>

export const staticToken = 'b3BlbnNzbC1yYW5kLWJhc2U2NC0zMi1ieXRlcy1sb25nLWVub3VnaA'

/** Answers with what it was given. */
export const echo = readTool({
  name: 'get_echo',
  title: 'Echo',
  description: 'Answers with the text it is given.',
  scope: 'read:market',
  input: z.strictObject({
    text: z.string().max(2_000),
    times: z.int().min(1).max(9).optional(),
    shape: z.enum(['round', 'square']).optional(),
  }),
  output: z.object({ text: z.string(), principal: z.string() }),
}).handler(async ({ text, times = 1 }, { principal }) => ({ text: text.repeat(times), principal: principal.id }))

/** Fails the way its argument says. */
export const failing = readTool({
  name: 'get_failure',
  title: 'Failure',
  description: 'Fails.',
  scope: 'read:portfolio',
  input: z.strictObject({ how: z.enum(['own', 'foreign', 'malformed']) }),
  output: z.object({ never: z.string() }),
}).handler(async ({ how }) => {
  if (how === 'own')
    throw new ToolError('POOL_NOT_FOUND', 'There is no such pool.', { details: [{ field: 'fee', message: 'none' }] })
  if (how === 'foreign') throw new Error('postgres://user:hunter2@db.internal/secret')
  return { never: 1 } as never
})

/** Waits until the caller leaves or the time is over. */
export const slow = readTool({
  name: 'get_slow',
  title: 'Slow',
  description: 'Takes its time.',
  scope: 'read:market',
  input: z.strictObject({ ms: z.int().min(0).max(60_000) }),
  output: z.object({ waitedMs: z.number() }),
}).handler(async ({ ms }, { signal }) => {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
  return { waitedMs: ms }
})

/** A write that signs nothing: the pipeline behind it is the test's. */
export const move = writeTool({
  name: 'move_funds',
  title: 'Move',
  description: 'Moves funds.',
  scope: 'write:trade',
  destructive: true,
  idempotent: false,
  input: z.strictObject({ amount: z.string() }),
  output: z.object({ status: z.literal('success'), txHash: z.string(), amount: z.string() }),
}).handler(async ({ amount }, { execute }) =>
  execute(
    {
      chainId: 1,
      calls: [],
      atomicity: 'single',
      spends: [],
      receives: [],
      approvals: [],
      riskTier: 'routine',
      slippageBps: null,
      deadline: null,
      recipients: [],
      why: amount,
    },
    (settled) => ({ status: 'success' as const, txHash: settled.main.hash, amount }),
  ),
)

/** The plan of a write that does nothing. */
export const emptyPlan: Plan = {
  planId: 'plan-1',
  planHash: `0x${'00'.repeat(32)}`,
  simulationHash: `0x${'0'.repeat(64)}`,
  expiresAt: null,
  why: 'nothing',
  steps: [],
  atomicity: 'single',
  deltas: [],
  bounds: { spendsAtMost: [], receivesAtLeast: [] },
  deposits: [],
  values: { leavesUsd: '0', arrivesUsd: '0', arrivesAtWorstUsd: '0' },
  warnings: [],
  spendUsd: '0',
  gasEstimate: '0',
  gasCostUsd: null,
  gasCostAtMost: '0',
  gasCostAtMostUsd: null,
  chain: { name: 'ethereum', nativeSymbol: 'ETH', nativeDecimals: 18 },
  policy: {
    allowed: true,
    verdict: 'execute_plan carries this plan out.',
    checks: { tokenAllowlistPassed: true, spendingLimitPassed: true, simulationPassed: true },
    refusals: [],
    conditions: [],
  },
  blockNumber: '1',
}

/** A server where nothing waits. */
export const noOperations: OperationsPipeline = {
  asksClient: () => false,
  takesClient: async () => false,
  awaiting: async () => 0,
  order: async () => null,
  find: () => Promise.reject(new ToolError('OPERATION_NOT_FOUND', 'There is none.')),
  list: async () => [],
  ordersOf: async () => new Map(),
  take: () => Promise.reject(new Error('nothing to take')),
  finish: async () => {},
  fail: async () => false,
  decide: () => Promise.reject(new Error('nothing to decide')),
  cancel: () => Promise.reject(new Error('nothing to cancel')),
  due: async () => [],
  principalOf: () => {
    throw new Error('nobody')
  },
}

export const testTools: readonly Tool[] = [slow, echo, failing, move]

/** A client of the current SDK. `legacy` is the handshake of 2025, `modern` the revision 2026-07-28. */
export async function connectModern(url: string, token: string, era: 'legacy' | 'modern') {
  const client = new ModernClient(
    { name: 'test', version: '1' },
    era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {},
  )
  const transport = new ModernTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  await client.connect(transport)
  return { client, transport }
}

/** A client of the first SDK generation. */
export async function connectFirst(url: string, token: string) {
  const client = new FirstClient({ name: 'test', version: '1' })
  const transport = new FirstTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } })
  await client.connect(transport)
  return { client, transport }
}

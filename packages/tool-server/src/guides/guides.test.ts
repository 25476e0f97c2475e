import { errorTable } from '@svc/amm'
import { createChainDirectory } from '@svc/amm/chains'
import { createTokenDirectory } from '@svc/amm/tokens'
import type { LatestAudit, SafetyReport } from '@svc/engine'
import { chains } from '@svc/wallet/core'
import { afterEach, describe, expect, it } from 'vitest'
import { principalId } from '../auth/credentials.ts'
import type { Ports } from '../ports.ts'
import type { Adapters } from '../server.ts'
import { connectFirst, connectModern, noOperations, openTestServer, type TestServer } from '../test-server.fixture.ts'
import { catalogue } from '../tools/index.ts'
import { refusalBy } from './code-of.fixture.ts'
import { connectStdio, connectStdioFirst } from './stream-transport.fixture.ts'

const ended: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ended.splice(0).toReversed()) await end()
})

const lines: LatestAudit['lines'] = [
  {
    seq: 2,
    ts: '2026-01-02T03:04:06.000Z',
    event: 'tx.refused',
    requestId: 'r-1',
    hash: 'ab',
    note: 'evil \u202e text',
  },
  { seq: 1, ts: '2026-01-02T03:04:05.000Z', event: 'tool.called', requestId: 'r-1', actor: { principal: 'x' } },
]

const safety: SafetyReport = {
  walletConfigured: true,
  paused: false,
  pause: null,
  breakerOpen: false,
  breaker: { open: false, since: null, cause: null, stops: 'nothing' },
  policyFault: null,
  allowlistMode: 'strict',
  unnamedSales: 'ask',
  approvalThresholdUsd: '250',
  limitsUsd: { perTransaction: '500', perSession: '1000', daily: '2000' },
  spentUsd: { session: '12.5', daily: '99.5' },
  heldUsd: '0',
  gasUsd: { session: '0.5', daily: '1.5' },
  remainingUsd: { session: '987.5', daily: '1900.5' },
  freesAt: { session: null, daily: null },
  valueUsd: null,
  dailyAlert: false,
  pendingTransactions: 0,
  unreadRequests: 0,
  pendingApprovals: 0,
  scheduledOperations: 0,
}

/** A server with the whole catalogue; what it would read of a chain is not reached here. */
async function open(env: Readonly<Record<string, string>> = {}): Promise<TestServer & { readonly asked: unknown[] }> {
  const asked: unknown[] = []
  const rpc = {
    probe: async () => ({ healthy: false, headAgeSeconds: 1, latencyMs: 1, problem: 'silent', at: 1 }),
  } as unknown as Ports['rpc']
  const silent = {
    reach: { endpoints: async () => null },
    rewards: { cannotClaim: 'key' },
    vaults: { named: () => [] },
  } as unknown as Ports
  const ports = { ...silent, chains: createChainDirectory(chains), tokens: createTokenDirectory({ chains, rpc }), rpc }
  const write = {
    operations: noOperations,
    latestAudit: async (of: string | null) => {
      asked.push(of)
      return { lines, isCut: true }
    },
    safety: async () => safety,
    underWay: () => 0,
    stop: async () => {},
    close: async () => {},
  } as unknown as NonNullable<Adapters['write']>
  const opened = await openTestServer({ env: { SVC_MCP_PROFILE: 'full', ...env }, tools: catalogue, ports, write })
  ended.push(() => opened.server.close())
  return { ...opened, asked }
}

type Client = Awaited<ReturnType<typeof connectModern>>['client'] | Awaited<ReturnType<typeof connectFirst>>['client']

const overHttp = {
  'HTTP, first SDK': async ({ url }: TestServer, key: string): Promise<Client> => (await connectFirst(url, key)).client,
  'HTTP, 2025-11-25': async ({ url }: TestServer, key: string): Promise<Client> =>
    (await connectModern(url, key, 'legacy')).client,
  'HTTP, 2026-07-28': async ({ url }: TestServer, key: string): Promise<Client> =>
    (await connectModern(url, key, 'modern')).client,
}

const everyWay = {
  ...overHttp,
  'stdio, first SDK': ({ server }: TestServer): Promise<Client> => connectStdioFirst(server),
  'stdio, 2025-11-25': ({ server }: TestServer): Promise<Client> => connectStdio(server, 'legacy'),
  'stdio, 2026-07-28': ({ server }: TestServer): Promise<Client> => connectStdio(server, 'modern'),
}

async function textAt(client: Client, uri: string): Promise<Record<string, unknown>> {
  const { contents } = await client.readResource({ uri })
  const [{ text, mimeType } = {}] = contents as { text?: string; mimeType?: string }[]
  expect(mimeType).toBe('application/json')
  return JSON.parse(text ?? '') as Record<string, unknown>
}

async function promptText(client: Client, name: string, args: Record<string, string>): Promise<string> {
  const { messages } = await client.getPrompt({ name, arguments: args })
  const [{ role, content } = {}] = messages as { role?: string; content?: { text?: string } }[]
  expect([messages.length, role]).toEqual([1, 'user'])
  return content?.text ?? ''
}

const plan = { chain: 'Base-Mainnet', token0: 'WETH', token1: 'USDC', amountUsd: '2500' }
const hash = `0x${'ab'.repeat(32)}`

describe.each(Object.entries(everyWay))('over %s', (_name, connect) => {
  it('prompts, resources and completions are listed and given to who may do all', async () => {
    const opened = await open()
    const client = await connect(opened, opened.keys.write)
    ended.push(() => client.close())
    expect(client.getServerCapabilities()).toMatchObject({ prompts: {}, resources: {}, completions: {} })

    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual([
      'explain_transaction',
      'onboard_agent',
      'plan_lp_position',
      'review_my_positions',
    ])
    expect(prompts[0]).toMatchObject({
      title: 'Explain a transaction',
      arguments: [
        { name: 'chain', required: true },
        { name: 'txHash', required: true },
      ],
    })
    const planned = await promptText(client, 'plan_lp_position', plan)
    expect(planned).toContain('WETH and USDC on base, worth about 2500 US dollars. Sign nothing before I have agreed.')
    expect(planned).toContain('5. check_safety_status')
    expect(planned).toContain('6. add_liquidity with dryRun')
    const refused = await refusalBy(
      client.getPrompt({ name: 'plan_lp_position', arguments: { ...plan, token0: '<b>' } }),
    )
    expect(refused).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'token0' }] })

    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual([
      'svc://chains',
      'svc://policy',
      'svc://errors',
      'svc://audit/latest',
    ])
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['svc://positions/{chain}/{id}'])
    expect((await textAt(client, 'svc://chains'))['items']).toHaveLength(11)
    const said = await refusalBy(client.readResource({ uri: 'svc://positions/base/first' }))
    expect(said).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'positionId' }] })
    await expect(client.readResource({ uri: 'svc://nothing' })).rejects.toThrow(/not found/i)

    const ref = { type: 'ref/prompt' as const, name: 'plan_lp_position' }
    const complete = async (name: string, value: string, chosen: Record<string, string> = {}) =>
      (await client.complete({ ref, argument: { name, value }, context: { arguments: chosen } })).completion
    const begun = chains.map(({ name }) => name).filter((name) => name.startsWith('b'))
    expect(await complete('chain', 'B')).toEqual({ values: begun, total: begun.length, hasMore: false })
    expect(begun).toContain('base')
    expect((await complete('token0', 'us', { chain: 'base' })).values).toEqual(expect.arrayContaining(['USDC']))
    expect((await complete('token0', 'us', { chain: 'nowhere' })).values).toEqual([])
    expect((await complete('amountUsd', '1')).values).toEqual([])
  })
})

describe('what a principal may not read', () => {
  it('is neither listed nor given: a read key plans and hears that it may not write', async () => {
    const opened = await open()
    const { client } = await connectModern(opened.url, opened.keys.read, 'modern')
    ended.push(() => client.close())
    const planned = await promptText(client, 'plan_lp_position', plan)
    expect(planned).toContain('You may not write here')
    expect(planned).not.toMatch(/add_liquidity|execute_plan/)
    expect(await promptText(client, 'onboard_agent', { chain: 'base' })).not.toContain('register_agent')
  })

  it('is nothing that the server does not offer: prompts and resources follow toolsets and profile', async () => {
    const opened = await open({ SVC_MCP_TOOLSETS: 'vaults, wallet' })
    const { client } = await connectModern(`${opened.url}?toolsets=market`, opened.keys.write, 'modern')
    ended.push(() => client.close())
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
      'explain_transaction',
      'onboard_agent',
    ])
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([])
    const ref = { type: 'ref/prompt' as const, name: 'review_my_positions' }
    const template = { type: 'ref/resource' as const, uri: 'svc://positions/{chain}/{id}' }
    for (const ask of [
      () => client.getPrompt({ name: 'review_my_positions', arguments: { chain: 'base' } }),
      () => client.readResource({ uri: 'svc://positions/base/7' }),
      () => client.complete({ ref, argument: { name: 'chain', value: '' } }),
      () => client.complete({ ref: template, argument: { name: 'chain', value: '' } }),
    ]) {
      expect((await refusalBy(ask())).code).toBe('TOOL_NOT_IN_PROFILE')
    }
    expect(await promptText(client, 'explain_transaction', { chain: 'base', txHash: hash })).not.toContain(
      'get_token_info',
    )
  })

  it('stays out whatever a header or the query asks for', async () => {
    const opened = await open({ SVC_MCP_TOOLSETS: 'market' })
    const ask = async (path: string, headers: Record<string, string>) => {
      const response = await fetch(`${opened.url}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${opened.keys.write}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/list',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: envelope } }),
      })
      const { result } = (await response.json()) as { result: { tools: { name: string }[] } }
      return result.tools.map(({ name }) => name)
    }
    const plain = await ask('', {})
    expect(plain).toContain('get_quote')
    expect(plain).not.toContain('execute_swap')
    expect(opened.lines.find((line) => line.includes('server.listening'))).toContain(`"tools":${plain.length}`)
    expect(await ask('?toolsets=trade&SVC_MCP_TOOLSETS=trade', {})).toEqual(plain)
    expect(await ask('', { 'x-mcp-toolsets': 'trade', 'svc-mcp-toolsets': 'trade' })).toEqual(plain)
  })
})

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

describe('a resource', () => {
  it('is what the tool says, to the key that asks', async () => {
    const opened = await open()
    for (const key of [opened.keys.read, opened.keys.write]) {
      const { client } = await connectFirst(opened.url, key)
      ended.push(() => client.close())
      const answer = async (name: string) => (await client.callTool({ name, arguments: {} })).structuredContent
      const withoutTime = ({ timestamp: _timestamp, ...rest }: Record<string, unknown>) => rest
      for (const [uri, tool] of [
        ['svc://chains', 'list_supported_chains'],
        ['svc://policy', 'check_safety_status'],
      ] as const) {
        expect(withoutTime(await textAt(client, uri))).toEqual(
          withoutTime((await answer(tool)) as Record<string, unknown>),
        )
      }
      const seesAmounts = key === opened.keys.write
      expect(JSON.stringify(await textAt(client, 'svc://policy')).includes('987.5')).toBe(seesAmounts)
    }
    const policy = opened.lines.filter((line) => line.includes('"check_safety_status"'))
    expect(policy).toHaveLength(6)
  })

  it('svc://errors has every code, with what to do', async () => {
    const { url, keys } = await open()
    const { client } = await connectModern(url, keys.read, 'legacy')
    ended.push(() => client.close())
    const { items } = await textAt(client, 'svc://errors')
    expect(items).toEqual(Object.entries(errorTable).map(([code, row]) => Object.assign({ code }, row)))
  })

  it('svc://audit/latest is of the caller alone, but for who has admin:wallet; text in it is escaped', async () => {
    const { url, keys, asked, lines: logged } = await open()
    for (const key of [keys.read, keys.feedback, keys.write, keys.bearer]) {
      const { client } = await connectModern(url, key, 'modern')
      ended.push(() => client.close())
      const { contents } = await client.readResource({ uri: 'svc://audit/latest' })
      const [{ text = '' } = {}] = contents as { text?: string }[]
      expect(text).toMatch(/^[ -~]+$/)
      expect(JSON.parse(text)).toMatchObject({
        lines: [{ seq: 2, note: 'evil \u202e text' }, { seq: 1 }],
        notes: ['Older lines are not shown; svc audit show has them.'],
        source: 'audit',
      })
      expect(text).not.toContain('"hash"')
    }
    expect(asked).toEqual([principalId('api-key', keys.read), principalId('api-key', keys.feedback), null, null])
    expect(logged.filter((line) => line.includes('"resource.read"'))).toHaveLength(4)
  })

  it('svc://audit/latest is not there without a wallet, and says so', async () => {
    const opened = await openTestServer({ tools: [], write: null })
    ended.push(() => opened.server.close())
    const { client } = await connectModern(opened.url, opened.keys.read, 'modern')
    ended.push(() => client.close())
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['svc://errors'])
    expect((await refusalBy(client.readResource({ uri: 'svc://audit/latest' }))).code).toBe('WALLET_NOT_CONFIGURED')
  })
})

describe('a prompt', () => {
  it('is refused by what is wrong with it: its name, each argument, the chain, the argument to complete', async () => {
    const opened = await open()
    const { client } = await connectModern(opened.url, opened.keys.read, 'legacy')
    ended.push(() => client.close())
    const get = (name: string, args: Record<string, string>) => refusalBy(client.getPrompt({ name, arguments: args }))
    const unknown = await get('drain\u202e_wallet', {})
    expect(unknown).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'name' }] })
    expect(unknown.message).toMatch(/^[ -~]+$/)
    expect(unknown.details[0]?.accepted).toContain('plan_lp_position')
    const missing = await get('plan_lp_position', { chain: 'base', surprise: '1' })
    expect(missing.code).toBe('VALIDATION_FAILED')
    expect(new Set(missing.details.map(({ field }) => field))).toEqual(
      new Set(['amountUsd', 'surprise', 'token0', 'token1']),
    )
    expect((await get('explain_transaction', { chain: 'base', txHash: '0x12' })).details[0]).toMatchObject({
      field: 'txHash',
    })
    expect((await get('explain_transaction', { chain: 'nowhere', txHash: hash })).code).toBe('CHAIN_NOT_SUPPORTED')
    const ref = { type: 'ref/prompt' as const, name: 'onboard_agent' }
    const completed = await refusalBy(client.complete({ ref, argument: { name: 'owner', value: '' } }))
    expect(completed).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'argument.name', accepted: ['chain'] }],
    })
    const template = { type: 'ref/resource' as const, uri: 'svc://secrets/{id}' }
    const absent = await refusalBy(client.complete({ ref: template, argument: { name: 'id', value: '' } }))
    expect(absent).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'ref.uri' }] })
  })
})

import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { devnetPolicy } from '@svc/engine'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, expect, it } from 'vitest'
import { provisionKeys } from '../auth/credentials.ts'
import { readConfig } from '../config.ts'
import { openServer } from '../open-server.ts'
import { connectFirst, connectModern } from '../test-server.fixture.ts'
import { type Answer, answerOf } from '../tools/answer.fixture.ts'
import { refusalBy } from './code-of.fixture.ts'
import { connectStdio } from './stream-transport.fixture.ts'

const devnet = useDevnet()
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

/** The whole server, as an operator starts it, with a funded wallet. */
async function start() {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-guides-'))
  const privateKey = generatePrivateKey()
  const { address } = new ServiceWallet({ mode: 'local', privateKey })
  await devnet().fund(address, { ETH: '10', WETH: '20', USDC: '50000' })
  writeFileSync(join(dataDir, 'chains.json'), JSON.stringify([devnet().chain]))
  writeFileSync(join(dataDir, 'policy.json'), JSON.stringify(devnetPolicy()), { mode: 0o600 })
  const environment = {
    SVC_DATA_DIR: dataDir,
    SVC_CHAINS_FILE: join(dataDir, 'chains.json'),
    SVC_LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'silent',
    PRIVATE_KEY: privateKey,
    [`SVC_RPC_URL_${devnet().chainId}`]: devnet().rpcUrl,
  }
  const keys = provisionKeys(readConfig(environment), (size) => crypto.getRandomValues(new Uint8Array(size)))
  const server = await openServer(readConfig(environment))
  closers.push(() => server.close())
  const { url } = await server.listen()
  return { server, url, key: (tier: 'read' | 'feedback' | 'write') => keys[tier].reveal() }
}

type Client = Awaited<ReturnType<typeof connectModern>>['client'] | Awaited<ReturnType<typeof connectFirst>>['client']

async function read(client: Client, uri: string): Promise<Answer> {
  const { contents } = await client.readResource({ uri })
  const [{ text = '' } = {}] = contents as { text?: string }[]
  return answerOf(JSON.parse(text))
}

it(
  'a position, its pool to complete and the audit of what made it are what the tools say, to each caller',
  { timeout: 120_000 },
  async () => {
    const { server, url, key } = await start()
    const [{ client: first }, { client: modern }, { client: reader }] = [
      await connectFirst(url, key('write')),
      await connectModern(url, key('write'), 'modern'),
      await connectModern(url, key('read'), 'legacy'),
    ]
    const local = await connectStdio(server, 'modern')
    closers.push(() => Promise.all([first.close(), modern.close(), reader.close(), local.close()]))
    const call = async (name: string, args: Readonly<Record<string, unknown>>) => {
      const { structuredContent, content } = await first.callTool({ name, arguments: { chain: 'local', ...args } })
      if (structuredContent === undefined) throw new Error(JSON.stringify(content))
      return answerOf(structuredContent)
    }
    const opened = await call('add_liquidity', {
      token0: 'WETH',
      token1: 'USDC',
      fee: 500,
      amount0: '1',
      rangeStrategy: 'medium',
    })
    const positionId = opened.text('positionId')
    const shown = await call('get_position', { positionId })
    const withoutTime = ({ data }: Answer) => ({
      ...(data as object),
      timestamp: undefined,
      blockAgeSeconds: undefined,
    })
    for (const client of [first, modern, reader, local]) {
      for (const uri of [
        `svc://positions/local/${positionId}`,
        `svc://positions/${devnet().chainId}/${positionId}?version=v3`,
      ]) {
        expect(withoutTime(await read(client, uri))).toEqual(withoutTime(shown))
      }
    }
    const absent = await refusalBy(modern.readResource({ uri: 'svc://positions/local/999999999?version=v3' }))
    expect(absent.code).toBe('POSITION_NOT_FOUND')

    const ref = { type: 'ref/prompt' as const, name: 'plan_lp_position' }
    const chosen = { chain: 'local', token0: 'WETH', token1: 'USDC' }
    const pools = await call('get_pools_by_token_pair', { token0: 'WETH', token1: 'USDC', limit: 100 })
    const completed = await modern.complete({
      ref,
      argument: { name: 'pool', value: '' },
      context: { arguments: chosen },
    })
    expect(completed.completion.values).toEqual(pools.list('items').map((pool) => pool.text('poolAddress')))
    const begun = completed.completion.values[0]!.slice(0, 6)
    const narrowed = await modern.complete({
      ref,
      argument: { name: 'pool', value: begun },
      context: { arguments: chosen },
    })
    expect(narrowed.completion.values).toContain(completed.completion.values[0])
    expect(narrowed.completion.values.every((pool) => pool.startsWith(begun))).toBe(true)
    const tokens = await reader.complete({
      ref,
      argument: { name: 'token1', value: '' },
      context: { arguments: { chain: 'local' } },
    })
    expect(tokens.completion.values).toEqual(expect.arrayContaining(['USDC', 'WETH']))

    const isOfMine = (line: Answer) => line.at('tool') === 'add_liquidity'
    const all = (await read(local, 'svc://audit/latest')).list('lines')
    expect(all.filter(isOfMine).map((line) => line.text('event'))).toEqual(
      expect.arrayContaining(['tool.called', 'tx.settled']),
    )
    expect((await read(modern, 'svc://audit/latest')).list('lines').filter(isOfMine)).not.toEqual([])
    // It called no write, so nothing in the log is about it.
    expect((await read(reader, 'svc://audit/latest')).list('lines')).toEqual([])
  },
)

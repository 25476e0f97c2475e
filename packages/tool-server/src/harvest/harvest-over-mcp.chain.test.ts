import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { devnetPolicy } from '@svc/engine'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, describe, expect, it } from 'vitest'
import { calls, turnToken } from '../../../engine/src/simulation/hostile-token.fixture.ts'
import { provisionKeys } from '../auth/credentials.ts'
import { readConfig } from '../config.ts'
import { openServer } from '../open-server.ts'
import { connectFirst, connectModern } from '../test-server.fixture.ts'
import { type Answer, answerOf } from '../tools/answer.fixture.ts'

const devnet = useDevnet()
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

/** The whole server, as an operator starts it. */
async function start(): Promise<{ readonly url: string; readonly key: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-harvest-'))
  const privateKey = generatePrivateKey()
  const { address } = new ServiceWallet({ mode: 'local', privateKey })
  await devnet().fund(address, { ETH: '10', WETH: '20', USDC: '50000', DAI: '20000' })
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
  return { url: (await server.listen()).url, key: keys.write.reveal() }
}

const clients = [
  ['the first SDK', (url: string, key: string) => connectFirst(url, key)],
  ['the current SDK', (url: string, key: string) => connectModern(url, key, 'modern')],
] as const

describe('harvest_rewards, called by a client', () => {
  it.each(clients)(
    'of %s, answers with each of its codes, what was done beside it, and at last its result',
    async (_name, connect) => {
      const { url, key } = await start()
      const { client } = await connect(url, key)
      closers.push(() => client.close())
      const send = async (name: string, args: Readonly<Record<string, unknown>>) =>
        client.callTool({ name, arguments: { chain: String(devnet().chainId), ...args } })
      const call = async (name: string, args: Readonly<Record<string, unknown>> = {}): Promise<Answer> => {
        const { structuredContent } = await send(name, args)
        return answerOf(structuredContent)
      }
      const refuse = async (args: Readonly<Record<string, unknown>>): Promise<Answer> => {
        const { isError, content } = await send('harvest_rewards', args)
        expect(isError).toBe(true)
        const [said] = content as { text: string }[]
        return answerOf((JSON.parse(said!.text) as { error: unknown }).error)
      }
      expect((await refuse({})).text('code')).toBe('NO_POSITIONS')
      const ranged = { rangeStrategy: 'medium', slippageBps: 300 }
      const opened = [
        await call('add_liquidity', { token0: 'WETH', token1: 'USDC', amount0: '3', fee: 500, ...ranged }),
        await call('add_liquidity', { token0: 'DAI', token1: 'WETH', amount0: '3000', fee: 3_000, ...ranged }),
      ]
      expect((await refuse({})).text('code')).toBe('DUST_FILTER_ALL_SKIPPED')
      const pools = opened.map((one) => one.text('pool.poolAddress') as `0x${string}`)
      await devnet().trade(20, 3, pools)
      const [sound, bad] = opened.map((one) => one.text('positionId'))
      const token = (symbol: string) => devnet().tokens.find((one) => one.symbol === symbol)!.address
      const never = { symbol: 'DAI', condition: calls('transfer(address,uint256)'), evil: '60006000fd' }
      const restore = await turnToken({ devnet: devnet(), token }, never)
      const partly = await refuse({ idempotencyKey: 'partly' })
      await restore()
      expect(partly.text('code')).toBe('HARVEST_PARTIAL_FAILURE')
      expect(partly.text('suggestion')).toContain('The same call with the same idempotencyKey goes on')
      const [done] = partly.list('details')
      expect(done!.list('result.feesCollected').map((one) => one.text('positionId'))).toEqual([sound])
      // The same call again does what is missing, and tells all of it.
      const whole = await call('harvest_rewards', { idempotencyKey: 'partly' })
      expect(whole.list('feesCollected').map((one) => one.text('positionId'))).toEqual([sound, bad])
      expect(whole.list('feesCollected')[0]!.text('txHash')).toBe(done!.list('result.feesCollected')[0]!.text('txHash'))
      await devnet().trade(20, 4, pools)
      const unsold = await refuse({ targetToken: 'USDC', slippageBps: 5_000 })
      expect(unsold.text('code')).toBe('CONSOLIDATION_SWAP_FAILED')
      expect(unsold.list('details').map((one) => one.at('code'))).toContain('SLIPPAGE_TOO_HIGH')
    },
  )
})

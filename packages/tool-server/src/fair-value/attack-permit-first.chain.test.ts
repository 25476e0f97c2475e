import { useDevnet } from '@svc/devnet/testing'
import { startTradingApi } from '@svc/devnet/trading-api'
import { Secret } from '@svc/wallet/core'
import { decodeFunctionData, type Hex, hexToBytes, parseAbi, parseTransaction, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import { universalRouterAbi } from '@svc/amm/abis'
import { openWorld } from '../tools/chain-world.fixture.ts'
import { openStranger, syncClock } from './attack-kit.fixture.ts'

const devnet = useDevnet()
const permitAbi = parseAbi([
  'function permit(address spender, uint256 tokenId, uint256 deadline, uint8 v, bytes32 r, bytes32 s) payable',
  'function getApproved(uint256 tokenId) view returns (address)',
])

it('G6: a right over a position that a stranger hands in first outlasts no migration', async () => {
  const api = await startTradingApi({ chain: devnet().chain, apiKey: 'local-key' })
  const tradingApi = { apiKey: new Secret(api.apiKey), url: api.url, timeoutMs: 60_000, sleep: async () => {} }
  const world = await openWorld(devnet(), { tradingApi, policy: { version: 1, allowlist: { mode: 'strict' } } })
  const pair = { token0: 'WETH', token1: 'USDC', fee: 500, rangeStrategy: 'wide', version: 'v3', amount0: '0.03' }
  const positionId = (await world.call('add_liquidity', pair)).text('positionId')
  const stranger = await openStranger(devnet())
  await syncClock(world)
  const manager = devnet().chain.amm.v3!.positionManager
  let isDone = false
  world.network.fetch = async (input, init) => {
    const body = typeof init?.body === 'string' ? init.body : ''
    const raw = /"eth_sendRawTransaction","params":\["(0x[0-9a-f]+)"/.exec(body)?.[1]
    if (raw !== undefined && !isDone) {
      isDone = true
      const { data = '0x' } = parseTransaction(raw as Hex)
      const [commands, inputs] = decodeFunctionData({ abi: universalRouterAbi, data }).args as readonly [
        Hex,
        readonly Hex[],
      ]
      const permit = decodeFunctionData({
        abi: permitAbi,
        data: inputs[[...hexToBytes(commands)].indexOf(0x11)]!,
      })
      await stranger.write(manager, permitAbi, 'permit', permit.args)
    }
    return fetch(input, init)
  }
  expect(await world.refuse('migrate_position', { positionId })).toMatchObject({ code: 'TRANSACTION_REVERTED' })
  const approved = await world.client.readContract({
    address: manager,
    abi: permitAbi,
    functionName: 'getApproved',
    args: [BigInt(positionId)],
  })
  await world.close()
  await api.stop()
  expect(approved).toBe(zeroAddress)
})

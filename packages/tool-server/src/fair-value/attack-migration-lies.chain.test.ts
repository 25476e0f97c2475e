import { useDevnet } from '@svc/devnet/testing'
import { startTradingApi, type TradingApi } from '@svc/devnet/trading-api'
import { Secret } from '@svc/wallet/core'
import {
  type Abi,
  concatHex,
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  numberToHex,
  parseAbiParameters,
  zeroAddress,
} from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { universalRouterAbi, v3PositionManagerAbi, v4PositionManagerAbi } from '@svc/amm/abis'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { syncClock } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let api: TradingApi
let world: World
beforeAll(async () => {
  api = await startTradingApi({ chain: devnet().chain, apiKey: 'local-key' })
})
afterAll(async () => {
  await world.close()
  await api.stop()
})

const unlock = parseAbiParameters('bytes, bytes[]')
const mintForm = parseAbiParameters([
  'PoolKey key, int24 tickLower, int24 tickUpper, uint256 liquidity, uint128 most0, uint128 most1, address recipient, bytes hookData',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
])

type Built = {
  commands: readonly number[]
  inputs: readonly Hex[]
  codes: readonly number[]
  params: readonly Hex[]
  until: bigint
}

type Lie = (built: Built) => Partial<Built>

const word = (amount: bigint): Hex => encodeAbiParameters(parseAbiParameters('uint256'), [amount])
const swapped = (built: Built, code: number, change: (one: Hex, nth: number) => Hex): Partial<Built> => {
  let nth = -1
  const params = built.params.map((one, index) => {
    if (built.codes[index] !== code) return one
    nth += 1
    return change(one, nth)
  })
  return { params }
}
const minted = (built: Built, change: (args: readonly unknown[]) => readonly unknown[]): Partial<Built> =>
  swapped(built, 0x02, (one) => encodeAbiParameters(mintForm, change(decodeAbiParameters(mintForm, one)) as never))
const ofV3 = (
  built: Built,
  name: string,
  change: (args: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): Partial<Built> => {
  const inputs = built.inputs.map((one, index) => {
    if (built.commands[index] !== 0x12) return one
    const { functionName, args } = decodeFunctionData({ abi: v3PositionManagerAbi, data: one })
    if (functionName !== name) return one
    const [first] = args as unknown as readonly [Readonly<Record<string, unknown>>]
    const abi: Abi = v3PositionManagerAbi
    return encodeFunctionData({ abi, functionName: name, args: [change(first)] })
  })
  return { inputs }
}
const sweepForm = parseAbiParameters('address, address')

const lies: Readonly<Record<string, Lie>> = {
  'all is unwrapped': (built) => swapped(built, 0x16, () => word(2n ** 255n)),
  'more is unwrapped': (built) => swapped(built, 0x16, () => word(29n * 10n ** 15n)),
  'native currency is swept in place of its wrapped form': (built) =>
    swapped(built, 0x14, (one) => {
      const [token, to] = decodeAbiParameters(sweepForm, one)
      const isWeth = token.toLowerCase() === world.address('WETH').toLowerCase()
      return encodeAbiParameters(sweepForm, [isWeth ? zeroAddress : token, to])
    }),
  'swept to nobody of ours': (built) =>
    swapped(built, 0x14, (one) =>
      encodeAbiParameters(sweepForm, [decodeAbiParameters(sweepForm, one)[0], zeroAddress]),
    ),
  'swept twice, one token never': (built) =>
    swapped(built, 0x14, (_one) => encodeAbiParameters(sweepForm, [world.address('USDC'), world.wallet])),
  'half of the liquidity': (built) =>
    minted(built, (args) => args.map((one, at) => (at === 3 ? (one as bigint) / 2n : one))),
  'twice the most': (built) =>
    minted(built, (args) => args.map((one, at) => (at === 4 || at === 5 ? (one as bigint) * 2n : one))),
  'another range': (built) => minted(built, (args) => args.map((one, at) => (at === 1 ? Number(one) - 100 : one))),
  'data for a hook': (built) => minted(built, (args) => args.map((one, at) => (at === 7 ? '0x12' : one))),
  'collected to the wallet': (built) => ofV3(built, 'collect', (args) => ({ ...args, recipient: world.wallet })),
  'collected in part': (built) => ofV3(built, 'collect', (args) => ({ ...args, amount0Max: 1n })),
  'no least': (built) => ofV3(built, 'decreaseLiquidity', (args) => ({ ...args, amount0Min: 0n, amount1Min: 0n })),
  'less taken out': (built) =>
    ofV3(built, 'decreaseLiquidity', (args) => ({ ...args, liquidity: (args['liquidity'] as bigint) / 2n })),
  'paid by the caller': (built) =>
    swapped(built, 0x0b, (one) => {
      const form = parseAbiParameters('address, uint256, bool')
      const [token, amount] = decodeAbiParameters(form, one)
      return encodeAbiParameters(form, [token, amount, true])
    }),
  'a day to do it': ({ until }) => ({ until: until + 86_400n }),
  'swept before it is minted': ({ codes, params }) => {
    const order = [...codes.keys()].toSorted((a, b) => (codes[a] === 0x14 ? 0 : 1) - (codes[b] === 0x14 ? 0 : 1))
    return { codes: order.map((at) => codes[at]!), params: order.map((at) => params[at]!) }
  },
  'not burnt': ({ commands, inputs }) => {
    const burn = inputs.findIndex((one) => one.startsWith('0x42966c68'))
    return { commands: commands.filter((_, at) => at !== burn), inputs: inputs.filter((_, at) => at !== burn) }
  },
}

let lie: Lie = () => ({})

const lying: typeof globalThis.fetch = async (url, init) => {
  const answer = (await (await globalThis.fetch(url, init)).json()) as { migrate: { data: Hex } }
  const [commandBytes, inputs, deadline] = decodeFunctionData({ abi: universalRouterAbi, data: answer.migrate.data })
    .args as readonly [Hex, readonly Hex[], bigint]
  const commands = [...hexToBytes(commandBytes)]
  const { args } = decodeFunctionData({ abi: v4PositionManagerAbi, data: inputs[commands.indexOf(0x14)]! })
  const [unlockData, until] = args as readonly [Hex, bigint]
  const [actions, params] = decodeAbiParameters(unlock, unlockData)
  const honest: Built = { commands, inputs, codes: [...hexToBytes(actions)], params, until }
  const told = { ...honest, ...lie(honest) }
  const bytes = (codes: readonly number[]) => concatHex(codes.map((code) => numberToHex(code, { size: 1 })))
  const modify = encodeFunctionData({
    abi: v4PositionManagerAbi,
    functionName: 'modifyLiquidities',
    args: [encodeAbiParameters(unlock, [bytes(told.codes), told.params]), told.until],
  })
  const all = told.inputs.map((one, index) => (told.commands[index] === 0x14 ? modify : one))
  const data = encodeFunctionData({
    abi: universalRouterAbi,
    functionName: 'execute',
    args: [bytes(told.commands), all, deadline],
  })
  return Response.json({ ...answer, migrate: { ...answer.migrate, data } })
}

it('G6: no number of a migration can be another', async () => {
  const tradingApi = {
    apiKey: new Secret(api.apiKey),
    url: api.url,
    timeoutMs: 60_000,
    sleep: async () => {},
    fetch: lying,
  }
  world = await openWorld(devnet(), { tradingApi, policy: { version: 1, allowlist: { mode: 'strict' } } })
  const pair = { token0: 'WETH', token1: 'USDC', fee: 500, rangeStrategy: 'medium', version: 'v3', amount0: '0.03' }
  const positionId = (await world.call('add_liquidity', pair)).text('positionId')
  await syncClock(world)
  const heard: Record<string, string> = {}
  for (const [name, one] of Object.entries(lies)) {
    lie = one
    heard[name] = await world.call('migrate_position', { positionId, dryRun: true }).then(
      (plan) => JSON.stringify(plan.at('plan.policy.refusals')).slice(0, 200),
      (error: unknown) => String(error).slice(0, 200),
    )
  }
  expect(Object.entries(heard).filter(([, what]) => what === '[]')).toEqual([])
})

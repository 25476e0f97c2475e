import { useDevnet } from '@svc/devnet/testing'
import type { Claim } from '@svc/store'
import { createPublicClient, createTestClient, http, parseEther, parseGwei, type Address } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterEach, expect, test } from 'vitest'
import { costOf, mostGas, openRound, type Round } from './open-round.ts'
import { startRefusingNode, type RefusingNode } from '../refusing-node.fixture.ts'

const devnet = useDevnet()
const grantWei = parseEther('0.01')
let node: RefusingNode | null = null
afterEach(async () => {
  await node?.stop()
  node = null
})

test.each([
  [3, 'execution reverted', 'never'],
  [-32_000, 'invalid opcode: INVALID', 'in-doubt'],
  [-32_000, 'stack underflow (0 <=> 1)', 'in-doubt'],
  [-32_000, 'gas required exceeds allowance (100000)', 'never'],
  [-32_015, 'VM execution error.', 'in-doubt'],
  [-32_603, 'Internal error', 'in-doubt'],
  [-32_005, 'daily request count exceeded', 'unanswered'],
  [-32_016, 'over rate limit', 'unanswered'],
] as const)(
  'a node that says %s "%s" of one transfer says it of no other, and of a wallet without code nothing',
  async (code, message, verdict) => {
    node = await startRefusingNode(devnet().rpcUrl)
    const [bad, plain, good] = [claim(), claim(), claim()]
    const areOfThem = (params: unknown) => [bad, plain].some(({ address }) => JSON.stringify(params).includes(address))
    node.setRefusal(({ method, params }) =>
      method === 'eth_estimateGas' && areOfThem(params) ? { code, message } : null,
    )
    const client = createPublicClient({ transport: http(node.url, { batch: true, retryCount: 0 }), cacheTime: 0 })
    const anvil = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
    await anvil.setCode({ address: bad.address as Address, bytecode: '0xfe' })
    const address = devnet().accounts[0]!.address
    const { gas, plainGas } = await openRound({ chain: devnet().chain, client, address }, [bad, plain, good])
    expect([bad, plain, good].map(({ id }) => gas.get(id))).toEqual([verdict, 'unanswered', 21_000n])
    expect(plainGas).toBe(21_000n)
  },
)

test.each<[string, Partial<Round>, bigint, unknown]>([
  ['is signed', {}, 21_000n, { gasLimit: 21_000n, worstWei: grantWei + 21_000n * parseGwei('2') }],
  ['waits for the fees when a plain one costs more than it gives', at('500'), 21_000n, 'fees'],
  ['waits alone when only its own gas costs more than it gives', at('200'), mostGas, 'too-dear'],
  ['waits for the balance when a plain one is too much for it', { leftWei: grantWei }, 21_000n, 'dry'],
  ['waits alone when only its own gas is too much', { leftWei: grantWei + 10n ** 14n }, mostGas, 'too-dear'],
])('a grant %s', (_, change, gas, cost) => {
  const one = claim()
  const fees = { maxFeePerGas: parseGwei('2'), maxPriorityFeePerGas: 1n }
  const round = { latestCount: 0, leftWei: parseEther('1'), fees, plainGas: 21_000n, gas: new Map([[one.id, gas]]) }
  expect(costOf({ ...round, ...change }, one)).toEqual(cost)
})

function at(gwei: string): Partial<Round> {
  return { fees: { maxFeePerGas: parseGwei(gwei), maxPriorityFeePerGas: 1n } }
}

function claim(): Claim {
  const address = privateKeyToAddress(generatePrivateKey()).toLowerCase()
  const settled = { state: 'queued', txHash: null, createdAt: 0, settledAt: null } as const
  return { id: address, chainId: 31337, address, appId: 'app', network: '1', amountWei: grantWei, ...settled }
}
